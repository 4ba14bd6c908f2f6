import type { Queryable } from './connection.ts'

/** The bytes of an own endpoint's newest bundle. */
export interface StoredBundle {
  readonly endpoint: string
  readonly bytes: Buffer
}

/** All bundles that any router has fetched, one for each endpoint. */
export async function listBundles(sql: Queryable): Promise<StoredBundle[]> {
  return await sql<StoredBundle[]>`select endpoint, bytes from publications`
}

/** Keeps a bundle unless another router has kept a newer one. */
export async function saveBundle(
  sql: Queryable,
  { endpoint, bytes, issuedAt }: StoredBundle & { readonly issuedAt: Date },
): Promise<void> {
  await sql`
    insert into publications (endpoint, bytes, issued_at) values (${endpoint}, ${bytes}, ${issuedAt})
    on conflict (endpoint) do update
    set bytes = excluded.bytes, issued_at = excluded.issued_at, fetched_at = clock_timestamp()
    where publications.issued_at < excluded.issued_at`
}
