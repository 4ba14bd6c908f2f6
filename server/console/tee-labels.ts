import type { TeeLabel } from '#attestation'
import { parsePublication } from '../publication/publication.ts'
import type { Sql } from '../store/connection.ts'
import { findBundle, type SeenDeployment } from '../store/publications.ts'
import { outlast } from '../store/retry.ts'

/** Tells what the bundle of a deployment names as hardware; null when it names nothing known, or is not kept. */
export type ReadTeeLabel = (deployment: SeenDeployment) => Promise<TeeLabel | null>

/**
 * Reads each bundle once: it may be a mebibyte, and to parse it for everybody who looks at a page would take the event
 * loop from all.
 */
export function createTeeLabels(sql: Sql): ReadTeeLabel {
  const known = new Map<
    string,
    Pick<SeenDeployment, 'digest' | 'issuedAt'> & { readonly tee: TeeLabel | null }
  >()
  return async ({ endpoint, digest, issuedAt }) => {
    const last = known.get(endpoint)
    if (last?.digest === digest && last.issuedAt.getTime() === issuedAt.getTime()) return last.tee
    const bytes = await outlast(() => findBundle(sql, endpoint, digest))
    if (!bytes) return null
    const tee = teeOf(bytes)
    known.set(endpoint, { digest, issuedAt, tee })
    return tee
  }
}

/** What an older version has filed may be no bundle for this one. */
function teeOf(bytes: Buffer): TeeLabel | null {
  try {
    return parsePublication(bytes).tee
  } catch {
    return null
  }
}
