import type { EndpointConfig } from '../config/router.ts'
import { parsePublication } from '../publication/publication.ts'
import type { Shelf } from '../publication/shelf.ts'
import { ControlError, type ControlHandler } from './handlers.ts'

/** What publishing needs from the router. */
export interface EvidenceControl {
  readonly shelf: Shelf
  readonly endpoints: () => readonly EndpointConfig[]
}

/** Publishes a bundle for an own endpoint, as if it had just been fetched: only a newer one takes an older one's place. */
export function publishingEvidence({ shelf, endpoints }: EvidenceControl): ControlHandler<'publishEvidence'> {
  return async ({ endpoint: name, bundle }) => {
    const endpoint = endpoints().find((own) => own.name === name)
    if (endpoint === undefined) throw new ControlError(`There is no own endpoint ${name}.`)
    try {
      shelf.offer(endpoint, parsePublication(Buffer.from(bundle)))
    } catch {
      // What is no bundle changes nothing, as when it is fetched (EVID-33).
    }
    return {}
  }
}
