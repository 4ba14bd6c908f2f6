import { type BaseBlock, Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js'
import type { Extension } from 'pkijs'
import { opaque } from '../certificates/extensions.ts'

const SGX = '1.2.840.113741.1.13.1'
const COMPONENTS = 16
const FMSPC = 'f0f0f0f0f0f0'
const PCE_ID = '0000'
const PCE_SVN = 11
const PPID = Buffer.alloc(16, 0xab)

/** The enclave that makes quotes, as it is and as Intel would have it. */
export const QE = {
  attributes: `11${'00'.repeat(15)}`,
  mrsigner: 'dc'.repeat(32),
  isvprodid: 2,
  isvsvn: 4,
} as const

/** What a machine's certificate says of it: its kind, and how new each part is. */
export function machineExtension(): Extension {
  const svns = Array.from({ length: COMPONENTS }, (_, index) =>
    member(`2.${index + 1}`, new Integer({ value: 1 })),
  )
  const said = new Sequence({
    value: [
      member('1', octets(PPID)),
      member('2', new Sequence({ value: [...svns, member('2.17', new Integer({ value: PCE_SVN }))] })),
      member('3', octets(Buffer.from(PCE_ID, 'hex'))),
      member('4', octets(Buffer.from(FMSPC, 'hex'))),
    ],
  })
  return opaque(SGX, new Uint8Array(said.toBER()))
}

/** What is said of such machines: this one is up to date. */
export function tcbInfo(since: Date, until: Date): object {
  const components = (svn: number) => Array.from({ length: COMPONENTS }, () => ({ svn }))
  return {
    id: 'TDX',
    version: 3,
    ...stated(since, until),
    fmspc: FMSPC,
    pceId: PCE_ID,
    tcbType: 0,
    tdxModule: { mrsigner: '00'.repeat(48), attributes: '00'.repeat(8), attributesMask: 'ff'.repeat(8) },
    tcbLevels: [
      {
        tcb: { sgxtcbcomponents: components(1), pcesvn: PCE_SVN, tdxtcbcomponents: components(0) },
        tcbDate: since.toISOString(),
        tcbStatus: 'UpToDate',
      },
    ],
  }
}

/** What is said of the enclave that makes quotes. */
export function qeIdentity(since: Date, until: Date): object {
  const { isvsvn, ...enclave } = QE
  return {
    id: 'TD_QE',
    version: 2,
    ...stated(since, until),
    ...enclave,
    miscselect: '00000000',
    miscselectMask: 'ffffffff',
    attributesMask: `fb${'ff'.repeat(7)}${'00'.repeat(8)}`,
    tcbLevels: [{ tcb: { isvsvn }, tcbDate: since.toISOString(), tcbStatus: 'UpToDate' }],
  }
}

function stated(since: Date, until: Date) {
  return { issueDate: since.toISOString(), nextUpdate: until.toISOString(), tcbEvaluationDataNumber: 1 }
}

function member(number: string, value: BaseBlock): Sequence {
  return new Sequence({ value: [new ObjectIdentifier({ value: `${SGX}.${number}` }), value] })
}

function octets(bytes: Buffer): OctetString {
  return new OctetString({ valueHex: Uint8Array.from(bytes) })
}
