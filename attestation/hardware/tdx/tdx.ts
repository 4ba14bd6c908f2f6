import { digestOf } from '../../digest.ts'
import type { HardwareFormat } from '../evidence.ts'
import type { Member } from '../member.ts'
import { earliest, parseAuthority } from '../path.ts'
import type { HardwareReading } from '../reading.ts'
import { demand } from '../refusal.ts'
import type { Vendors } from '../vendors.ts'
import { parseBody } from './body.ts'
import { parseCollateral, parseHex } from './collateral.ts'
import { isNotRevoked, parseRevocations } from './crl.ts'
import { checkSignatures, judgeEnclave } from './enclave.ts'
import { readMachine } from './pck.ts'
import { parseQuote } from './quote.ts'
import { readStatement } from './statement.ts'
import { judgeTcb } from './tcb.ts'

/** Reads a quote of Intel TDX that its hardware signed, about a guest that nobody can look into. */
export function readTdx(member: Member, now: Date, { intel }: Vendors): HardwareReading {
  const quote = parseQuote(member.data, member.format)
  const collateral = parseCollateral(member.collateral)
  const root = parseAuthority(intel)
  const certificates = quote.certificates ?? collateral.pck_certificate_chain
  demand(certificates !== undefined, 'collateral_missing')
  const machine = readMachine(certificates, root, now)
  const revoked = parseRevocations(parseHex(collateral.root_ca_crl), root, now)
  isNotRevoked(machine.authority, revoked)
  const machines = parseRevocations(parseHex(collateral.pck_crl), machine.authority, now)
  isNotRevoked(machine.certificate, machines)
  const tcbInfo = readStatement('tcb_info', collateral, { root, revoked }, now)
  const identity = readStatement('qe_identity', collateral, { root, revoked }, now)
  checkSignatures(quote, machine.certificate.key)
  const enclave = judgeEnclave(quote, identity.content)
  const guest = parseBody(quote.body)
  const { status, advisories } = judgeTcb(guest, machine, tcbInfo.content, enclave)
  return {
    evidence: {
      format: member.format as HardwareFormat,
      product: 'TDX',
      tcb: { status, parts: null, advisories },
      measurements: guest.measurements,
      vmpl: null,
      endorsement: 'pck',
      endorsedUntil: machine.endorsedUntil,
      collateralUntil: earliest([revoked.until, machines.until, tcbInfo.until, identity.until]),
      chipId: digestOf(machine.ppid),
    },
    reportData: guest.reportData,
  }
}
