import type { Chain } from './certificate.ts'
import { AttestationError } from './errors.ts'
import { type Oid, oid } from './oid.ts'

/** The extensions that are looked into. */
export const extensionOids = {
  basicConstraints: oid('2.5.29.19'),
  keyUsage: oid('2.5.29.15'),
  nameConstraints: oid('2.5.29.30'),
  subjectNames: oid('2.5.29.17'),
  /** The platforms' own quote of the hardware. */
  hardwareQuote: oid('0.6.9.42.840.113741.1337.6'),
} as const

const EXTENDED_KEY_USAGE = oid('2.5.29.37')
const POLICIES = oid('2.5.29.32')

/**
 * What is enforced (constraints, usage, names) or has nothing to say about the signing of evidence (purposes and
 * policies, none of which is asked for), and the platforms' quote.
 */
const KNOWN: ReadonlySet<Oid> = new Set([...Object.values(extensionOids), EXTENDED_KEY_USAGE, POLICIES])

/** The platforms' other extensions about the hardware. */
const KNOWN_ARC = oid('1.3.6.1.3.8888')

/** Refuses (`cert-chain` / `unknown_critical_extension`) a critical extension that is not known here (VRFY-10). */
export function haveKnownExtensions(chain: Chain): void {
  for (const { extensions } of chain)
    for (const [id, { isCritical }] of extensions)
      if (isCritical && !KNOWN.has(id) && !isBelow(id, KNOWN_ARC))
        throw new AttestationError('cert-chain', 'unknown_critical_extension')
}

function isBelow(id: Oid, arc: Oid): boolean {
  return id.length > arc.length && id.startsWith(arc)
}
