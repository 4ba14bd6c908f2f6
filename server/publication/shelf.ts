import type { EndpointConfig } from '../config/router.ts'
import type { StoredBundle } from '../store/publications.ts'
import { type Publication, parsePublication } from './publication.ts'

/** The newest publication of each own endpoint, in memory. */
export interface Shelf {
  /** Undefined until one has been fetched. */
  find(endpoint: string): Publication | undefined
  /** Keeps it if it is for this endpoint's hostname and newer than what is there; tells whether it was. */
  offer(endpoint: EndpointConfig, publication: Publication): boolean
  /** From now on there are these endpoints and no others: what is kept of the others goes, and nothing of them comes. */
  keepOnly(endpoints: readonly EndpointConfig[]): void
}

/** Creates the shelf. The newest signed `issuedAt` wins; nothing older or foreign replaces a good copy (EVID-33). */
export function createShelf(): Shelf {
  const newest = new Map<string, Publication>()
  let isKnown = (_: EndpointConfig): boolean => true
  return {
    find: (endpoint) => newest.get(endpoint),
    offer(endpoint, publication) {
      const { name, hostname } = endpoint
      if (!isKnown(endpoint)) return false
      const current = newest.get(name)
      const isNewer = current === undefined || publication.issuedAt > current.issuedAt
      if (publication.hostname !== hostname || !isNewer) return false
      newest.set(name, publication)
      return true
    },
    keepOnly(endpoints) {
      const hostnames = new Map(endpoints.map(({ name, hostname }) => [name, hostname]))
      // A bundle may be under way that was asked for before.
      isKnown = ({ name, hostname }) => hostnames.get(name) === hostname
      for (const [name, { hostname }] of newest) if (hostnames.get(name) !== hostname) newest.delete(name)
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
