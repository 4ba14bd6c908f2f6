import type { Digest } from '#attestation'
import type { Queryable } from '../store/connection.ts'
import {
  addUpstream,
  askAttestation,
  disableUpstream,
  enableUpstream,
  type NewUpstream,
  setPins,
} from '../upstreams/administration.ts'
import type { Registration } from '../upstreams/registration.ts'
import { type Rekeyed, rekeyUpstreams } from '../upstreams/rekey.ts'
import { type Actor, audited } from './act.ts'

/** What an act on an upstream comes to; undefined when there is none of that name. */
type Done = Promise<Registration | undefined>

/** Registers an upstream; undefined when there is one of that name and it is not to be replaced. */
export function registerUpstream(
  sql: Queryable,
  actor: Actor,
  upstream: NewUpstream,
  options: { readonly secret: () => Buffer; readonly replace: boolean },
): Done {
  return audited(
    sql,
    actor,
    (transaction) => addUpstream(transaction, upstream, options),
    ({ id, url, hostname, roots, pins, apiKey }) => {
      const details = {
        id,
        url,
        hostname,
        roots: roots.map(({ fingerprint }) => fingerprint).join(' '),
        pins: pins.join(' '),
        api_key: apiKey === null ? 'none' : 'stored',
        require_leaf_name: String(upstream.requireLeafName),
        attested: upstream.attested ? JSON.stringify(upstream.attested) : 'nothing',
        replace: String(options.replace),
      }
      return [{ act: 'upstream_registered', subject: upstream.name, details }]
    },
  )
}

/** Approves deployments, or withdraws the approval: an act for each of them. */
export function changePins(
  sql: Queryable,
  actor: Actor,
  name: string,
  pins: { readonly add: readonly Digest[]; readonly remove: readonly Digest[] },
): Done {
  const tell = (act: 'deployment_pinned' | 'deployment_unpinned') => (digest: Digest) => {
    return { act, subject: name, details: { evidence_digest: digest } } as const
  }
  return audited(
    sql,
    actor,
    (transaction) => setPins(transaction, name, pins),
    () => [...pins.add.map(tell('deployment_pinned')), ...pins.remove.map(tell('deployment_unpinned'))],
  )
}

/** What is done to an upstream as a whole. */
const acts = {
  disable: [disableUpstream, 'upstream_disabled'],
  enable: [enableUpstream, 'upstream_enabled'],
  /** Undefined for a disabled one too, which nobody checks. */
  attest: [askAttestation, 'upstream_attested'],
} as const

/** Takes an upstream out of service, puts it back, or asks every router for a check. */
export function changeUpstream(sql: Queryable, actor: Actor, name: string, what: keyof typeof acts): Done {
  const [change, act] = acts[what]
  return audited(
    sql,
    actor,
    (transaction) => change(transaction, name),
    () => [{ act, subject: name }],
  )
}

/** See `rekeyUpstreams`: an act for each key that was stored anew. */
export async function renewKeys(
  sql: Queryable,
  actor: Actor,
  secret: Buffer,
  previous: readonly Buffer[],
): Promise<Rekeyed> {
  const done = await audited(
    sql,
    actor,
    (transaction) => rekeyUpstreams(transaction, secret, previous),
    ({ rekeyed }) => rekeyed.map((name) => ({ act: 'upstream_rekeyed', subject: name })),
  )
  return done!
}
