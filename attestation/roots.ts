import { type Certificate, parseCertificate } from './certificate.ts'
import type { Digest } from './digest.ts'
import { AttestationError } from './errors.ts'
import { parsePemFile } from './pem.ts'

/** A root that the user was told to trust. */
export interface TrustedRoot {
  readonly der: Uint8Array
  /** SHA-256 of the DER, which is what a chain's root is recognised by. */
  readonly fingerprint: Digest
  /** Off for platforms whose signing certificates carry no hostname. */
  readonly requireLeafName: boolean
}

/** Reads the roots of a PEM file; throws when there is none or one of them is no certificate. */
export function parseRoots(pem: string, { requireLeafName = true } = {}): TrustedRoot[] {
  return parsePemFile(pem).map((der) => ({
    der,
    fingerprint: parseCertificate(der).fingerprint,
    requireLeafName,
  }))
}

/** Whether a chain under this root must name the hostname: always, unless a trusted root says otherwise. */
export function requiresLeafName({ fingerprint }: Certificate, trusted: readonly TrustedRoot[]): boolean {
  return !trusted.some((root) => root.fingerprint === fingerprint && !root.requireLeafName)
}

/** Passes a root that is in the trust store; an empty store denies all (VRFY-13). */
export function checkRoot({ fingerprint }: Certificate, trusted: readonly TrustedRoot[]): void {
  if (trusted.length === 0) throw new AttestationError('untrusted-root', 'no_trusted_roots')
  if (!trusted.some((root) => root.fingerprint === fingerprint))
    throw new AttestationError('untrusted-root', 'root_not_trusted')
}
