import type { AttestationError, Digest } from '#attestation'
import { limits } from '#contract/limits'
import type { Recorded } from '#egress/evidence/check.ts'
import type { Log } from '../log.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { inTransaction } from '../store/transaction.ts'
import { parseRegistration, type Registration, type UpstreamRow } from './registration.ts'

/** A bundle that a verdict rests on. */
export interface AdmittedBundle {
  readonly digest: Digest
  readonly issuedAt: Date
  /** As received. */
  readonly bytes: Uint8Array
}

/** How long the row of an upstream is waited for: whoever gives up leaves no statement behind that waits on (ours). */
const LOCK_MS = limits.databaseOutageMs

/** Deployments whose bundles are kept of one upstream (ours). */
const KEPT_BUNDLES = 16

/**
 * Shares an admission with every router before anybody acts on it: what it named, the newest time of signing, and the
 * bundle that it rests on (VERD-27).
 */
export function recordAdmission(
  sql: Sql,
  { name, id, revision }: Registration,
  { digest, issuedAt, bytes }: AdmittedBundle,
): Promise<Recorded> {
  const share = async (transaction: Queryable): Promise<Recorded> => {
    // A check that an administrator's word or a denial overtook admits nobody, and is not relayed as if it had.
    const [known] = await transaction<{ newest_issued_at: Date | null }[]>`
      select newest_issued_at from upstreams
      where id = ${id} and revision = ${revision} and denied_at is null and not is_disabled for update`
    if (known === undefined) return 'outdated'
    if (issuedAt < (known.newest_issued_at ?? issuedAt)) return 'rolled_back'
    await transaction`
      update upstreams
      set admitted_at = clock_timestamp(), admitted_digest = ${digest}, newest_issued_at = ${issuedAt}
      where id = ${id}`
    await file(transaction, name, { digest, issuedAt, bytes })
    return 'recorded'
  }
  return inTransaction(sql, share, { lockMs: LOCK_MS })
}

async function file(
  transaction: Queryable,
  name: string,
  { digest, issuedAt, bytes }: AdmittedBundle,
): Promise<void> {
  await transaction`
    insert into upstream_bundles as filed (upstream, digest, bytes, issued_at)
    values (${name}, ${digest}, ${bytes}, ${issuedAt})
    on conflict (upstream, digest) do update
    set bytes = excluded.bytes, issued_at = excluded.issued_at, filed_at = clock_timestamp()`
  await transaction`
    delete from upstream_bundles where upstream = ${name} and digest not in (
      select digest from upstream_bundles where upstream = ${name} order by filed_at desc limit ${KEPT_BUNDLES})`
}

/** Every registration; a row that cannot be read is as good as none, and must not keep the others from being read. */
export async function listRegistrations(sql: Queryable, log: Log): Promise<Registration[]> {
  const rows = await sql<UpstreamRow[]>`select * from upstreams`
  return rows.flatMap((row) => {
    try {
      return [parseRegistration(row)]
    } catch (error) {
      log.error('the registration of an upstream cannot be read', { upstream: row.name, error })
      return []
    }
  })
}

/**
 * Shares a sticky denial; false when another router has, or when an administrator has asked for a check since the
 * verdict was given. No other act lifts a denial: not the withdrawal of a pin that happened at the same time.
 */
export async function recordDenial(
  sql: Queryable,
  { id, attestationsAsked }: Registration,
  { stage, reason }: AttestationError,
): Promise<boolean> {
  const deny = async (transaction: Queryable): Promise<boolean> => {
    const { count } = await transaction`
      update upstreams set denied_at = clock_timestamp(), denied_stage = ${stage}, denied_reason = ${reason},
        revision = revision + 1
      where id = ${id} and attestations_asked = ${attestationsAsked} and denied_at is null`
    return count > 0
  }
  return await inTransaction(sql, deny, { lockMs: LOCK_MS })
}
