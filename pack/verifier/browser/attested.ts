import { AttestationError } from '../../../attestation/errors.ts'
import type { TrustedRoot } from '../../../attestation/roots.ts'

// What judges a quote of hardware asks more of Node than is put in its place here: a page knows no format of one.

/** Refuses a root of which hardware is demanded. */
export function checkHardware(
  _bundle: unknown,
  { fingerprint }: Pick<TrustedRoot, 'fingerprint'>,
  { roots }: { readonly roots: readonly TrustedRoot[] },
): null {
  for (const root of roots)
    if (root.fingerprint === fingerprint && root.attested !== undefined) inspectHardware()
  return null
}

/** Refuses an admission whose root hardware is demanded of now. */
export function recheckHardware(
  { admission }: { readonly admission: { readonly rootFingerprint: TrustedRoot['fingerprint'] } },
  roots: readonly TrustedRoot[],
): void {
  checkHardware(undefined, { fingerprint: admission.rootFingerprint }, { roots })
}

/** Refuses every quote. */
export function inspectHardware(): never {
  throw new AttestationError('untrusted-root', 'quote_unsupported')
}
