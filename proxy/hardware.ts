import type { HardwareCondition, HardwareEvidence } from '#attestation'
import type { HardwareOutput } from '#contract/models'

/** What one could demand of hardware that was seen; undefined where nobody should accept it. */
export function demandFor(hardware: HardwareEvidence): HardwareCondition | undefined {
  const { product, tcb, measurements, vmpl, endorsement } = hardware
  const { measurement, mrtd, rtmr1, rtmr2 } = measurements
  if (product !== 'TDX') {
    if (tcb.parts === null || measurement === undefined) return undefined
    const same = { tee: 'snp', product, measurement, minimumTcb: tcb.parts } as const
    return {
      ...same,
      ...(vmpl !== null && vmpl > 0 && { vmpl }),
      ...(endorsement === 'vlek' && { vlek: true }),
    }
  }
  const { status } = tcb
  if (mrtd === undefined || rtmr1 === undefined || rtmr2 === undefined) return undefined
  if (status === null || status === 'Revoked') return undefined
  return { tee: 'tdx', mrtd, rtmr1, rtmr2, ...(status !== 'UpToDate' && { tcbStatus: [status] }) }
}

/** A line of what is told of hardware: what it is about, and what it says. */
type Row = readonly [name: string, text: string]

const endorsements = {
  vcek: 'by AMD for this chip',
  vlek: 'by AMD for all machines of a cloud',
  pck: 'by Intel for this machine',
} as const

/** The same for people. What stands in it comes from the endpoint: whoever prints it shows it as foreign text. */
export function hardwareInRows(hardware: HardwareOutput): Row[] {
  const { product, tcb, measurements, vmpl, endorsement, endorsed_until, collateral_until } = hardware
  return [
    ['hardware', product === 'TDX' ? 'Intel TDX' : `AMD SEV-SNP, ${product}, VMPL ${vmpl}`],
    ['firmware', tcbInWords(tcb)],
    ...(tcb.advisories.length === 0 ? [] : [['advisories', tcb.advisories.join(', ')] as const]),
    ...Object.entries(measurements),
    ['vouched', `${endorsements[endorsement]}, until ${endorsed_until}`],
    ...(collateral_until === null ? [] : [['collateral', `until ${collateral_until}`] as const]),
  ]
}

function tcbInWords({ status, parts }: HardwareOutput['tcb']): string {
  if (status !== null) return `${status}, says Intel`
  return Object.entries(parts ?? {})
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}
