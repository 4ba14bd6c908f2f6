import { type Bundle, parseBundle } from './bundle.ts'
import type { Certificate } from './certificate.ts'
import { readChain, rootOf } from './chain.ts'
import type { Digest } from './digest.ts'
import { builtInVendors } from './hardware/built-in.ts'
import type { HardwareEvidence } from './hardware/evidence.ts'
import { readHardware, verifyHardware } from './hardware/hardware.ts'
import { checkBinding, checkConditions } from './hardware/judge.ts'
import type { Vendors } from './hardware/vendors.ts'
import type { TrustedRoot } from './roots.ts'

/** What is demanded of roots, and when. */
interface HardwareExpectation {
  readonly roots: readonly TrustedRoot[]
  readonly now: Date
}

/**
 * Refuses (`untrusted-root`) a root of which hardware is demanded that the bundle does not show; gives what was seen of
 * it, and null where nothing is demanded: no quote is looked at then (VRFY-26, VRFY-27). A root that stands twice in the
 * store has to meet what is demanded at each place.
 */
export function checkHardware(
  { rootCaTeeQuote }: Bundle,
  { fingerprint, spki }: Certificate,
  { roots, now }: HardwareExpectation,
  vendors: Vendors = builtInVendors,
): HardwareEvidence | null {
  let seen: HardwareEvidence | null = null
  for (const { attested, ...root } of roots) {
    if (root.fingerprint !== fingerprint || attested === undefined) continue
    seen = verifyHardware(rootCaTeeQuote, spki, attested, now, vendors)
  }
  return seen
}

/** An admission of before, the bundle that it rests on, and when that was judged. */
interface Held {
  readonly admission: { readonly rootFingerprint: Digest; readonly hardware: HardwareEvidence | null }
  readonly bytes: Uint8Array
  readonly judgedAt: Date
}

/**
 * Refuses (`untrusted-root`) an admission that does not hold by what is demanded of its root now (VERD-32). What was seen
 * of the hardware is held against it; where none was demanded before, the bundle is judged for it.
 */
export function recheckHardware(
  { admission, bytes, judgedAt: now }: Held,
  roots: readonly TrustedRoot[],
): void {
  for (const root of roots) {
    if (root.fingerprint !== admission.rootFingerprint || root.attested === undefined) continue
    if (admission.hardware === null) {
      const { rootCaTeeQuote, certChain } = parseBundle(bytes)
      verifyHardware(rootCaTeeQuote, rootOf(readChain(certChain)).spki, root.attested, now)
    } else checkConditions(admission.hardware, root.attested)
  }
}

/**
 * Gives what the hardware of a bundle's root shows at some time, whatever one demands of it, for showing what one might
 * demand. Refuses (`untrusted-root`) what no vendor vouches for, and a quote about another key.
 */
export function inspectHardware(bytes: Uint8Array, now: Date): HardwareEvidence {
  const { rootCaTeeQuote, certChain } = parseBundle(bytes)
  const { evidence, reportData } = readHardware(rootCaTeeQuote, now)
  checkBinding(reportData, rootOf(readChain(certChain)).spki)
  return evidence
}
