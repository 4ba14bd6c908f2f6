import type { EndpointConfig } from '../config/router.ts'
import type { StoredBundle } from '../store/publications.ts'
import { type Publication, parsePublication } from './publication.ts'

/** The newest publication of each own endpoint, in memory. */
export interface Shelf {
  /** Undefined until one has been fetched. */
  find(endpoint: string): Publication | undefined
  /** Keeps it if it is for this endpoint's hostname and newer than what is there; tells whether it was. */
  offer(endpoint: EndpointConfig, publication: Publication): boolean
}

/** Creates the shelf. The newest signed `issuedAt` wins; nothing older or foreign replaces a good copy (decisions, 8). */
export function createShelf(): Shelf {
  const newest = new Map<string, Publication>()
  return {
    find: (endpoint) => newest.get(endpoint),
    offer({ name, hostname }, publication) {
      const current = newest.get(name)
      const isNewer = current === undefined || publication.issuedAt > current.issuedAt
      if (publication.hostname !== hostname || !isNewer) return false
      newest.set(name, publication)
      return true
    },
  }
}

/** Puts back what an earlier run had fetched. What cannot be read any more is left for the next poll to replace. */
export function restore(
  shelf: Shelf,
  endpoints: readonly EndpointConfig[],
  bundles: readonly StoredBundle[],
): void {
  for (const { endpoint: name, bytes } of bundles) {
    const endpoint = endpoints.find((own) => own.name === name)
    const publication = endpoint && readable(bytes)
    if (publication) shelf.offer(endpoint, publication)
  }
}

function readable(bytes: Buffer): Publication | undefined {
  try {
    return parsePublication(bytes)
  } catch {
    return undefined
  }
}
