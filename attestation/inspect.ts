import { type Bundle, parseBundle } from './bundle.ts'
import { readOrRefuse } from './errors.ts'
import { parseInstant } from './instant.ts'
import { parseCompact } from './jws.ts'
import { type Payload, readPayload } from './payload.ts'

/** What a bundle says: its envelope, and what its signature claims to cover. */
export interface InspectedBundle {
  readonly bundle: Bundle
  readonly payload: Payload
  readonly issuedAt: Date
}

/**
 * Reads a bundle and verifies nothing: no certificate, no signature, no digest. Throws an `AttestationError` of stage
 * `fetch` or `jws` for what cannot be read. For showing what one might pin, and for publishing the bundle of one's own
 * endpoint; never for a verdict.
 */
export function inspectBundle(bytes: Uint8Array): InspectedBundle {
  const bundle = parseBundle(bytes)
  const signed = readOrRefuse('jws', 'jws_malformed', () => parseCompact(bundle.jws))
  const payload = readPayload(signed.payload, bundle)
  return { bundle, payload, issuedAt: parseInstant(payload.issuedAt) }
}
