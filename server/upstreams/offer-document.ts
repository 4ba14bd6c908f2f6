import type { components } from '#contract/console/types'
import type { ComparedOffer, Deployment } from './offer.ts'
import type { Registration } from './registration.ts'

/** A comparison as the contract has it, in the console and on the command line. */
export function toDiffDocument(
  { pinned, offered, changes }: ComparedOffer,
  { pins }: Registration,
): components['schemas']['UpstreamDiff'] {
  const toDocument = ({ digest, issuedAt }: Deployment) => ({
    evidence_digest: digest,
    issued_at: issuedAt.toISOString(),
    is_pinned: pins.includes(digest),
  })
  return {
    pinned: pinned ? toDocument(pinned) : null,
    offered: toDocument(offered),
    same_values: pinned !== undefined && pinned.digest !== offered.digest && changes.length === 0,
    changes: changes.map(({ document }) => document),
  }
}
