import type { Digest, HardwareCondition } from '#attestation'
import { attestedDocument } from '#egress/hardware.ts'
import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { inTransaction } from '../store/transaction.ts'
import { sealApiKey } from './api-key.ts'
import { appendEvent, type UpstreamEvent } from './events.ts'
import { parseRegistration, type Registration, type UpstreamRow } from './registration.ts'

/** What an administrator says of a new upstream. */
export interface NewUpstream {
  readonly name: string
  readonly url: string
  readonly hostname: string
  /** PEM. */
  readonly roots: string
  readonly requireLeafName: boolean
  /** Of the hardware that holds a root's key; undefined for nothing. */
  readonly attested: readonly HardwareCondition[] | undefined
  readonly pins: readonly Digest[]
  readonly apiKey: string | undefined
}

/**
 * Registers an upstream; undefined when there is one of that name and it is not to be replaced. A replacement begins
 * without a verdict. Of the old one it knows the newest time of signing, which an attacker must not make it forget, if
 * address and hostname are the same (another address signs in its own time); and, if the hostname is, what was admitted
 * last, which is still relayed.
 */
export async function addUpstream(
  sql: Queryable,
  upstream: NewUpstream,
  { secret, replace = false }: { readonly secret: () => Buffer; readonly replace?: boolean },
): Promise<Registration | undefined> {
  const { name, url, hostname, roots, requireLeafName, attested, pins, apiKey } = upstream
  const id = createId('ups_')
  const sealed = apiKey === undefined ? null : sealApiKey(apiKey, id, secret())
  return inTransaction(sql, async (transaction) => {
    const demanded = attested ? transaction.json({ ...attestedDocument(attested) }) : null
    const [row] = await transaction<UpstreamRow[]>`
      insert into upstreams as known (name, id, url, hostname, roots, require_leaf_name, attested, api_key, pins)
      values (${name}, ${id}, ${url}, ${hostname}, ${roots}, ${requireLeafName}, ${demanded}, ${sealed}, ${[...pins]})
      on conflict (name) do update set
        id = excluded.id, url = excluded.url, hostname = excluded.hostname, roots = excluded.roots,
        require_leaf_name = excluded.require_leaf_name, attested = excluded.attested,
        api_key = excluded.api_key, pins = excluded.pins,
        is_disabled = false, denied_at = null, denied_stage = null, denied_reason = null,
        revision = known.revision + 1, created_at = clock_timestamp(),
        newest_issued_at = case
          when known.hostname = excluded.hostname
            and lower(split_part(known.url, '/', 3)) = lower(split_part(excluded.url, '/', 3))
          then known.newest_issued_at end,
        admitted_at = case when known.hostname = excluded.hostname then known.admitted_at end,
        admitted_digest = case when known.hostname = excluded.hostname then known.admitted_digest end
      where ${replace}
      returning *`
    if (row === undefined) return undefined
    await appendEvent(transaction, { upstream: name, event: 'registered' })
    return parseRegistration(row)
  })
}

/** Approves deployments, or withdraws the approval. Approving one lifts a denial; withdrawing one never does. */
export function setPins(
  sql: Queryable,
  name: string,
  { add, remove }: { readonly add: readonly Digest[]; readonly remove: readonly Digest[] },
): Promise<Registration | undefined> {
  const lifts = add.length > 0
  const events = [
    ...add.map((digest) => ({ upstream: name, event: 'pinned', digest }) as const),
    ...remove.map((digest) => ({ upstream: name, event: 'unpinned', digest }) as const),
  ]
  return act(sql, events, (transaction) => {
    // In the order of approval, each once.
    return transaction<UpstreamRow[]>`
      update upstreams set
        pins = array(select pin from unnest(pins || ${[...add]}::text[]) with ordinality as listed (pin, place)
          where pin <> all (${[...remove]}::text[]) group by pin order by min(place)),
        denied_at = case when ${lifts} then null else denied_at end,
        denied_stage = case when ${lifts} then null else denied_stage end,
        denied_reason = case when ${lifts} then null else denied_reason end,
        attestations_asked = attestations_asked + ${lifts ? 1 : 0},
        revision = revision + 1
      where name = ${name} returning *`
  })
}

/** Takes an upstream out of service. */
export function disableUpstream(sql: Queryable, name: string): Promise<Registration | undefined> {
  return act(
    sql,
    [{ upstream: name, event: 'taken_out' }],
    (transaction) => transaction<UpstreamRow[]>`
      update upstreams set is_disabled = true, revision = revision + 1 where name = ${name} returning *`,
  )
}

/** Puts an upstream back, without a verdict; a denial is lifted. */
export function enableUpstream(sql: Queryable, name: string): Promise<Registration | undefined> {
  return act(
    sql,
    [{ upstream: name, event: 'put_back' }],
    (transaction) => transaction<UpstreamRow[]>`
      update upstreams set is_disabled = false, denied_at = null, denied_stage = null, denied_reason = null,
        attestations_asked = attestations_asked + 1, revision = revision + 1
      where name = ${name} returning *`,
  )
}

/** Asks every router for a check now; a denial is lifted. Undefined for a disabled one too, which nobody checks. */
export function askAttestation(sql: Queryable, name: string): Promise<Registration | undefined> {
  return act(
    sql,
    [{ upstream: name, event: 'attestation_asked' }],
    (transaction) => transaction<UpstreamRow[]>`
      update upstreams set denied_at = null, denied_stage = null, denied_reason = null,
        attestations_asked = attestations_asked + 1, revision = revision + 1
      where name = ${name} and not is_disabled returning *`,
  )
}

/** Every upstream, by name. */
export async function listUpstreams(sql: Queryable): Promise<Registration[]> {
  const rows = await sql<UpstreamRow[]>`select * from upstreams order by name`
  return rows.map(parseRegistration)
}

/** One upstream; undefined when there is none of that name. */
export async function findUpstream(sql: Queryable, name: string): Promise<Registration | undefined> {
  const [row] = await sql<UpstreamRow[]>`select * from upstreams where name = ${name}`
  return row && parseRegistration(row)
}

/** An act and its events, in one transaction; undefined when there is no such upstream. */
function act(
  sql: Queryable,
  events: readonly UpstreamEvent[],
  change: (transaction: Queryable) => PromiseLike<readonly UpstreamRow[]>,
): Promise<Registration | undefined> {
  return inTransaction(sql, async (transaction) => {
    const [row] = await change(transaction)
    if (row === undefined) return undefined
    for (const event of events) await appendEvent(transaction, event)
    return parseRegistration(row)
  })
}
