import type { Json } from '../json-value.ts'
import { builtInVendors } from './built-in.ts'
import type { HardwareCondition } from './conditions.ts'
import type { HardwareEvidence, HardwareFormat } from './evidence.ts'
import { checkBinding, checkConditions } from './judge.ts'
import { type Member, parseMember } from './member.ts'
import type { HardwareReading } from './reading.ts'
import { refusal } from './refusal.ts'
import { readSnp } from './snp/snp.ts'
import { readTdx } from './tdx/tdx.ts'
import type { Vendors } from './vendors.ts'

type Reader = (member: Member, now: Date, vendors: Vendors) => HardwareReading

const readers: ReadonlyMap<string, Reader> = new Map<HardwareFormat, Reader>([
  ['amd-sev-snp-report', readSnp],
  ['intel-tdx-quote-v4', readTdx],
  ['intel-tdx-quote-v5', readTdx],
])

/**
 * Reads the hardware's quote that a bundle carries as `rootCaTeeQuote`, at some time. Refuses (`untrusted-root`) all
 * that a vendor's genuine hardware did not say of a guest that nobody can look into; whether it is the right guest is
 * not asked.
 */
export function readHardware(
  member: Json | undefined,
  now: Date,
  vendors: Vendors = builtInVendors,
): HardwareReading {
  const quote = parseMember(member)
  const read = readers.get(quote.format)
  if (!read) throw refusal('quote_unsupported')
  return read(quote, now, vendors)
}

/**
 * As `readHardware`, and refuses a guest that no condition fits, or that does not hold the key of the root, given as
 * DER (VRFY-26). The order of the checks is part of the contract: what the quote is, who vouches for its signer, what it
 * signs, how the guest is protected, what the user demands, and last of all the key.
 */
export function verifyHardware(
  member: Json | undefined,
  rootSpki: Uint8Array,
  conditions: readonly HardwareCondition[],
  now: Date,
  vendors: Vendors = builtInVendors,
): HardwareEvidence {
  const { evidence, reportData } = readHardware(member, now, vendors)
  checkConditions(evidence, conditions)
  checkBinding(reportData, rootSpki)
  return evidence
}
