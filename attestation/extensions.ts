import {
  id_BasicConstraints,
  id_CertificatePolicies,
  id_ExtKeyUsage,
  id_KeyUsage,
  id_NameConstraints,
  id_SubjectAltName,
} from 'pkijs'
import type { Chain } from './certificate.ts'
import { AttestationError } from './errors.ts'

/**
 * What is enforced (constraints, usage, names) or has nothing to say about the signing of evidence (purposes and
 * policies, none of which is asked for), and the platforms' own quote of the hardware.
 */
const KNOWN: ReadonlySet<string> = new Set([
  id_BasicConstraints,
  id_KeyUsage,
  id_NameConstraints,
  id_SubjectAltName,
  id_ExtKeyUsage,
  id_CertificatePolicies,
  '0.6.9.42.840.113741.1337.6',
])

/** The platforms' other extensions about the hardware. */
const KNOWN_ARC = '1.3.6.1.3.8888.'

/** Passes when no certificate makes a demand that is not understood (RFC 5280, 4.2). */
export function haveKnownExtensions(chain: Chain): void {
  for (const { extensions } of chain)
    for (const { critical, extnID } of extensions.values())
      if (critical && !KNOWN.has(extnID) && !extnID.startsWith(KNOWN_ARC))
        throw new AttestationError('cert-chain', 'unknown_critical_extension')
}
