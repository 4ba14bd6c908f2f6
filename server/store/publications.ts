import type { Queryable } from './connection.ts'

/** The bytes of an own endpoint's newest bundle. */
export interface StoredBundle {
  readonly endpoint: string
  readonly bytes: Buffer
}

/** What a bundle that is to be kept says of itself. */
interface FetchedBundle extends StoredBundle {
  readonly issuedAt: Date
  /** Of its deployment, in wire form. */
  readonly digest: string
}

/** A deployment that was seen at an endpoint. */
export interface SeenDeployment {
  readonly endpoint: string
  readonly digest: string
  /** When its newest bundle was signed. */
  readonly issuedAt: Date
  readonly firstSeenAt: Date
}

/** All bundles that any router has fetched, one for each endpoint. */
export async function listBundles(sql: Queryable): Promise<StoredBundle[]> {
  return await sql<StoredBundle[]>`select endpoint, bytes from publications`
}

/** Keeps a bundle, for its endpoint and for its deployment, unless another router has kept a newer one there. */
export async function saveBundle(
  sql: Queryable,
  { endpoint, digest, bytes, issuedAt }: FetchedBundle,
): Promise<void> {
  await sql`
    with newest as (
      insert into publications (endpoint, bytes, issued_at) values (${endpoint}, ${bytes}, ${issuedAt})
      on conflict (endpoint) do update
      set bytes = excluded.bytes, issued_at = excluded.issued_at, fetched_at = clock_timestamp()
      where publications.issued_at < excluded.issued_at
    )
    insert into published_bundles (endpoint, digest, bytes, issued_at)
    values (${endpoint}, ${digest}, ${bytes}, ${issuedAt})
    on conflict (endpoint, digest) do update set bytes = excluded.bytes, issued_at = excluded.issued_at
    where published_bundles.issued_at < excluded.issued_at`
}

/** The deployments of every own endpoint, and of every upstream whose bundles are kept; so many of each, newest first. */
export async function listDeployments(sql: Queryable, most: number): Promise<SeenDeployment[]> {
  return await sql<SeenDeployment[]>`
    select endpoint, digest, issued_at as "issuedAt", first_seen_at as "firstSeenAt" from (
      select *, row_number() over (partition by endpoint order by issued_at desc) as place from (
        select endpoint, digest, issued_at, first_seen_at from published_bundles
        union all
        select b.upstream, b.digest, b.issued_at, coalesce(
          (select min(e.at) from upstream_events e
            where e.upstream = b.upstream and e.event = 'admitted' and e.digest = b.digest),
          b.filed_at
        ) from upstream_bundles b
      ) seen
    ) placed
    where place <= ${most}
    order by endpoint, issued_at desc`
}

/** The newest bundle of one deployment, byte for byte; undefined: none is kept. An own endpoint's goes first. */
export async function findBundle(
  sql: Queryable,
  endpoint: string,
  digest: string,
): Promise<Buffer | undefined> {
  const [row] = await sql<{ bytes: Buffer }[]>`
    select bytes from published_bundles where endpoint = ${endpoint} and digest = ${digest}
    union all
    select bytes from upstream_bundles where upstream = ${endpoint} and digest = ${digest}
    limit 1`
  return row?.bytes
}
