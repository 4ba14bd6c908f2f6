import type { Vector } from '#contract/models'
import { envelopeOf, PAYLOAD } from '../bundle.ts'
import { admitted, refused } from '../vector.ts'

// The bounds of the contract, written again: who makes the vectors shares nothing with who is asked.
const ENVELOPE_PARTS = 1_000
const PAYLOAD_PARTS = 32_768

type Members = Readonly<Record<string, unknown>>

/** Names and values of a document. */
function partsOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + partsOf(one), 1)
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + partsOf(one), 1)
}

/** A member that brings a document to just so many parts: its name, a list, and what stands in it. */
const upTo = (parts: number, document: Members): Members => {
  const { rootCaTeeQuote: _, ...rest } = document
  return { more: Array.from({ length: parts - partsOf(rest) - 2 }, () => 0) }
}
const envelope = (parts: number) => ({
  envelope: { rootCaTeeQuote: undefined, ...upTo(parts, envelopeOf()) },
})
const payload = (parts: number) => ({ payload: upTo(parts, PAYLOAD) })

/** How much JSON is read of an envelope: the bound, and one beyond it. */
export const envelopeSizeVectors: readonly Vector[] = [
  ...admitted('fetch', 'VRFY-25', {
    'thousand-parts': ['An envelope of 1,000 names and values is read', envelope(ENVELOPE_PARTS)],
  }),
  ...refused('fetch', 'too_large', 'VRFY-25', {
    'one-part-too-many': ['An envelope of 1,001 names and values is refused', envelope(ENVELOPE_PARTS + 1)],
  }),
]

/** How much JSON is read of what is signed: the bound, and one beyond it. */
export const payloadSizeVectors: readonly Vector[] = [
  ...admitted('jws', 'VRFY-25', {
    'most-parts': ['A payload of 32,768 names and values is read', payload(PAYLOAD_PARTS)],
  }),
  ...refused('jws', 'payload_malformed', 'VRFY-25', {
    'one-part-too-many': ['A payload of 32,769 names and values is refused', payload(PAYLOAD_PARTS + 1)],
  }),
]
