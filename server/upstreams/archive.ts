import type { Queryable } from '../store/connection.ts'

/** What is to be relayed of an external upstream; whatever its status is now (EVID-14). */
export interface Relayable {
  /** As received; undefined while it was never admitted. */
  readonly bytes: Buffer | undefined
}

/** Looks for what an upstream's last admitting verdict named; undefined: there is no such upstream. */
export type FindRelayable = (name: string) => Promise<Relayable | undefined>

/** The archive of all routers: a bundle is in it only if a verdict rested on it, and so its leaf was the observed one. */
export function createArchive(sql: Queryable): FindRelayable {
  return async (name) => {
    const [row] = await sql<{ bytes: Buffer | null }[]>`
      select filed.bytes from upstreams
      left join upstream_bundles as filed
        on filed.upstream = upstreams.name and filed.digest = upstreams.admitted_digest
      where upstreams.name = ${name}`
    return row && { bytes: row.bytes ?? undefined }
  }
}
