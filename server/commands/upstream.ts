import { toHex } from '#attestation'
import type { UpstreamEventOutput, UpstreamOutput } from '#contract/models'
import { attestedDocument } from '#egress/hardware.ts'
import type { Actor } from '../administration/act.ts'
import { changePins, changeUpstream } from '../administration/upstreams.ts'
import type { Sql } from '../store/connection.ts'
import { listUpstreams } from '../upstreams/administration.ts'
import { listEvents, type StoredEvent } from '../upstreams/events.ts'
import type { Registration } from '../upstreams/registration.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withDatabase } from './database.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'
import { parsePins } from './pins.ts'
import { parseCount, UsageError } from './usage.ts'

/** `router upstream pin`: approves deployments, or withdraws the approval; what runs on a withdrawn one ends. */
export async function pin(
  name: string,
  digests: readonly string[],
  options: ActOptions & { readonly remove?: readonly string[] },
): Promise<void> {
  const pins = { add: parsePins('<digest>', digests), remove: parsePins('--remove', options.remove ?? []) }
  if (pins.add.length + pins.remove.length === 0)
    throw new UsageError('Name a digest to approve or to remove.')
  const both = pins.add.find((digest) => pins.remove.includes(digest))
  if (both !== undefined) throw new UsageError(`${toHex(both)} is to be approved and removed at once.`)
  await act(name, options, (sql, actor) => changePins(sql, actor, name, pins), describePins)
}

/** `router upstream enable`: puts it back without a verdict; the next check decides. */
export function enable(name: string, options: ActOptions): Promise<void> {
  return act(
    name,
    options,
    (sql, actor) => changeUpstream(sql, actor, name, 'enable'),
    () => [`${name} is enabled; the next check decides. See: router upstream events ${name}`],
  )
}

/** `router upstream disable`: its models are gone and what runs there ends, within a second. */
export function disable(name: string, options: ActOptions): Promise<void> {
  return act(
    name,
    options,
    (sql, actor) => changeUpstream(sql, actor, name, 'disable'),
    () => [`${name} is out of service.`],
  )
}

/** `router upstream attest`: every router checks it now. */
export async function attest(name: string, options: ActOptions): Promise<void> {
  const ask = async (sql: Sql, actor: Actor) => {
    const asked = await changeUpstream(sql, actor, name, 'attest')
    if (!asked && (await isRegistered(sql, name)))
      throw new Error(`${name} is disabled. To have it checked: router upstream enable ${name}`)
    return asked
  }
  await act(name, options, ask, () => [
    `${name} is being checked. LAST ADMITTED moves if it passes: router upstream list`,
    `A change of verdict is an event: router upstream events ${name}`,
  ])
}

/** `router upstream list`: what all routers share of each; a live verdict is each router's own. */
export async function list(options: CommonOptions): Promise<void> {
  const upstreams = await withDatabase(options.config, listUpstreams)
  const head = ['UPSTREAM', 'URL', 'STATE', 'PINS', 'LAST ADMITTED', 'DIGEST']
  print(options, upstreams.map(toUpstreamDocument), columns([head, ...upstreams.map(toCells)]))
}

/** `router upstream events`: each transition of each router's verdict, and each act of an administrator. */
export async function events(
  name: string | undefined,
  options: CommonOptions & { readonly limit: string },
): Promise<void> {
  const limit = parseCount('--limit', options.limit)
  const stored = await withDatabase(options.config, (sql) => listEvents(sql, { upstream: name, limit }))
  // Registering one is an event.
  if (name !== undefined && stored.length === 0) throw noUpstream(name)
  const head = ['TIME', 'UPSTREAM', 'EVENT', 'STAGE', 'REASON', 'DIGEST', 'ROUTER']
  const rows = stored.map(({ at, upstream, event, stage, reason, digest, replica }) => {
    return [formatTime(at), upstream, event, stage ?? '-', reason ?? '-', digest ?? '-', replica ?? '-']
  })
  print(options, stored.map(toEventDocument), columns([head, ...rows]))
}

/** An upstream as commands print it; its key is never printed. */
export function toUpstreamDocument(upstream: Registration): UpstreamOutput {
  const { id, name, url, hostname, roots, attested, apiKey, pins, standing, deniedAt, admitted } = upstream
  const { denial } = standing
  return {
    id,
    name,
    url,
    hostname,
    roots: roots.map(({ fingerprint }) => fingerprint),
    attested: attested ? attestedDocument(attested) : null,
    pins: [...pins],
    has_api_key: apiKey !== null,
    disabled: standing.isDisabled,
    denial:
      denial === undefined || deniedAt === null
        ? null
        : {
            at: deniedAt.toISOString(),
            stage: denial.stage as NonNullable<UpstreamOutput['denial']>['stage'],
            reason: denial.reason,
          },
    last_admitted: admitted ? { at: admitted.at.toISOString(), evidence_digest: admitted.digest } : null,
    newest_issued_at: upstream.newestIssuedAt?.toISOString() ?? null,
    created_at: upstream.createdAt.toISOString(),
  }
}

async function act(
  name: string,
  options: ActOptions,
  change: (sql: Sql, actor: Actor) => Promise<Registration | undefined>,
  describe: (upstream: Registration) => readonly string[],
): Promise<void> {
  const actor = actorOf(options)
  const upstream = await withDatabase(options.config, (sql) => change(sql, actor))
  if (!upstream) throw noUpstream(name)
  print(options, toUpstreamDocument(upstream), describe(upstream))
}

function noUpstream(name: string): Error {
  return new Error(`There is no upstream ${name}. See: router upstream list`)
}

async function isRegistered(sql: Sql, name: string): Promise<boolean> {
  return (await listUpstreams(sql)).some((upstream) => upstream.name === name)
}

/** All of them: who removes a digest with a slip of the pen sees that the approval still stands. */
function describePins({ name, pins }: Registration): string[] {
  if (pins.length === 0) return [`${name} has no approved deployment: nothing of it is admitted.`]
  return [`Approved deployments of ${name}:`, ...pins.map((digest) => `  ${toHex(digest)}`)]
}

function toCells({ name, url, standing, pins, admitted }: Registration): string[] {
  const { isDisabled, denial } = standing
  const state = isDisabled ? 'disabled' : denial ? `denied: ${denial.stage}/${denial.reason}` : 'enabled'
  const digest = admitted ? toHex(admitted.digest) : '-'
  return [name, url, state, String(pins.length), formatTime(admitted?.at ?? null), digest]
}

function toEventDocument({ number, at, stage, reason, digest, ...event }: StoredEvent): UpstreamEventOutput {
  return {
    number: Number(number),
    at: at.toISOString(),
    ...event,
    stage: stage as UpstreamEventOutput['stage'],
    reason,
    evidence_digest: digest,
  }
}
