import { type Certificate, parseCertificate } from './certificate.ts'
import type { Digest } from './digest.ts'
import { AttestationError } from './errors.ts'
import type { HardwareCondition } from './hardware/conditions.ts'
import { parsePemFile } from './pem.ts'

/** A root that the user was told to trust. */
export interface TrustedRoot {
  readonly der: Uint8Array
  /** SHA-256 of the DER, which is what a chain's root is recognised by. */
  readonly fingerprint: Digest
  /** Off for platforms whose signing certificates carry no hostname. */
  readonly requireLeafName: boolean
  /** What is demanded of the hardware that holds its key; nothing when left out. */
  readonly attested?: readonly HardwareCondition[] | undefined
}

/** What is said of roots beside their certificates. */
export type RootOptions = Partial<Pick<TrustedRoot, 'requireLeafName' | 'attested'>>

/** Reads the roots of a PEM file. Throws when it has no certificate, or one that cannot be read. */
export function parseRoots(
  pem: string,
  { requireLeafName = true, attested }: RootOptions = {},
): TrustedRoot[] {
  return parsePemFile(pem).map((der) => ({
    der,
    fingerprint: parseCertificate(der).fingerprint,
    requireLeafName,
    ...(attested && { attested }),
  }))
}

/** Whether a chain under this root must name the hostname: always, unless a trusted root says otherwise. */
export function requiresLeafName({ fingerprint }: Certificate, trusted: readonly TrustedRoot[]): boolean {
  return !trusted.some((root) => root.fingerprint === fingerprint && !root.requireLeafName)
}

/**
 * Refuses (`untrusted-root`) a root that is not in the store (`root_not_trusted`), and every root when the store is
 * empty (`no_trusted_roots`) (VRFY-13).
 */
export function checkRoot({ fingerprint }: Certificate, trusted: readonly TrustedRoot[]): void {
  if (trusted.length === 0) throw new AttestationError('untrusted-root', 'no_trusted_roots')
  if (!trusted.some((root) => root.fingerprint === fingerprint))
    throw new AttestationError('untrusted-root', 'root_not_trusted')
}
