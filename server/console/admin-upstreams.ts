import type { components } from '#contract/console/types'
import { changePins, changeUpstream, registerUpstream } from '../administration/upstreams.ts'
import type { Catalogue } from '../catalogue.ts'
import type { EndpointConfig } from '../config/router.ts'
import { ApiError } from '../errors.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { findUpstream, listUpstreams } from '../upstreams/administration.ts'
import { listEventPage } from '../upstreams/events.ts'
import { readPin, readUpstream, UnusableUpstream, type WrittenUpstream } from '../upstreams/new-upstream.ts'
import type { Registration } from '../upstreams/registration.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import { toEventBody, toUpstreamBody } from './admin-upstream-body.ts'
import { actorOf, missing } from './administrator.ts'
import { readCursor } from './cursor.ts'
import type { ConsoleHandler } from './handlers.ts'
import { toPageBody } from './page-body.ts'
import { readLimit, wrong } from './query.ts'

/** What the administration of upstreams needs from the router. */
export interface UpstreamsAdministration {
  readonly sql: Sql
  readonly upstreams: Pick<Upstreams, 'find'>
  /** Of the configuration in force. */
  readonly catalogue: Pick<Catalogue, 'models'>
  /** Own ones, of the configuration in force. */
  readonly endpoints: () => readonly EndpointConfig[]
  /** What stored keys are encrypted under. */
  readonly secret: () => Buffer
}

type Body = components['schemas']['AdminUpstream']

/** `GET /admin/upstreams`: every one of them, with this router's verdict. */
export function listingUpstreams(world: UpstreamsAdministration): ConsoleHandler<'listUpstreams'> {
  return async () => {
    const registered = await outlast(() => listUpstreams(world.sql))
    return { status: 200, body: { data: registered.map((one) => bodyOf(one, world)) } }
  }
}

/** `GET /admin/upstreams/{name}`. */
export function gettingUpstream(world: UpstreamsAdministration): ConsoleHandler<'getUpstream'> {
  return async ({ path: { name } }) => {
    const registration = await outlast(() => findUpstream(world.sql, name))
    return { status: 200, body: bodyOf(registration, world) }
  }
}

/** `POST /admin/upstreams`: its key is encrypted, and is in no answer. */
export function registeringUpstreams(world: UpstreamsAdministration): ConsoleHandler<'registerUpstream'> {
  const { secret, endpoints } = world
  return async ({ person, body, change }) => {
    const { name, url, hostname, roots, require_leaf_name: requireLeafName = true } = body
    const { attested, pins = [], api_key: apiKey, replace = false } = body
    const demanded = attested?.measurements
    const written = { name, url, hostname, roots: [roots], requireLeafName, attested: demanded, pins, apiKey }
    const upstream = usable(() => readUpstream(written))
    if (endpoints().some((own) => own.name === name || own.hostname === name)) {
      throw new ApiError('conflict', 'An endpoint of this router’s own has this name.')
    }
    const registered = await change((transaction) =>
      registerUpstream(transaction, actorOf(person), upstream, { secret, replace }),
    )
    if (!registered) throw new ApiError('conflict', 'There is an upstream of this name already.')
    return { status: 201, body: bodyOf(registered, world) }
  }
}

/** `PATCH /admin/upstreams/{name}`. */
export function updatingUpstreams(world: UpstreamsAdministration): ConsoleHandler<'updateUpstream'> {
  return async ({ person, path: { name }, body: { disabled }, change }) => {
    const act = disabled ? 'disable' : 'enable'
    const changed = await change((transaction) => changeUpstream(transaction, actorOf(person), name, act))
    return { status: 200, body: bodyOf(changed, world) }
  }
}

/** `POST /admin/upstreams/{name}/attest`: one that is disabled is checked by nobody. */
export function attestingUpstreams(world: UpstreamsAdministration): ConsoleHandler<'attestUpstream'> {
  return async ({ person, path: { name }, change }) => {
    const asked = await change((transaction) => changeUpstream(transaction, actorOf(person), name, 'attest'))
    if (!asked && (await findUpstream(world.sql, name))) {
      throw new ApiError('conflict', 'It is disabled: put it back, and it is checked.')
    }
    return { status: 200, body: bodyOf(asked, world) }
  }
}

/** `POST /admin/upstreams/{name}/pins`. */
export function changingPins(world: UpstreamsAdministration): ConsoleHandler<'changePins'> {
  return async ({ person, path: { name }, body, change }) => {
    const add = usable(() => (body.add ?? []).map(readPin))
    const remove = usable(() => (body.remove ?? []).map(readPin))
    if (add.length + remove.length === 0) throw new ApiError('missing_field', 'add or remove is required.')
    if (add.some((digest) => remove.includes(digest))) {
      throw wrong('remove', 'names a deployment that is to be approved by the same call.')
    }
    const changed = await change((transaction) =>
      changePins(transaction, actorOf(person), name, { add, remove }),
    )
    return { status: 200, body: bodyOf(changed, world) }
  }
}

const NUMBER = /^[1-9]\d{0,17}$/

/** `GET /admin/upstreams/{name}/events`: the newest first; events outlive what they tell of. */
export function listingEvents(sql: Sql): ConsoleHandler<'listUpstreamEvents'> {
  return async ({ path: { name }, query }) => {
    const [number] = readCursor(query.after, [NUMBER]) ?? []
    const after = number === undefined ? undefined : BigInt(number)
    const limit = readLimit(query.limit)
    const rows = await outlast(() => listEventPage(sql, name, { after, limit: limit + 1 }))
    // To register one is an event.
    if (rows.length === 0 && after === undefined) throw missing('upstream', 'name')
    const placeOf = (event: { readonly number: bigint }) => [String(event.number)]
    return { status: 200, body: toPageBody(rows, limit, { toBody: toEventBody, placeOf }) }
  }
}

function bodyOf(
  registration: Registration | undefined,
  { upstreams, catalogue }: UpstreamsAdministration,
): Body {
  if (!registration) throw missing('upstream', 'name')
  return toUpstreamBody(registration, upstreams.find(registration.name), catalogue.models)
}

const fields = {
  name: 'name',
  url: 'url',
  hostname: 'hostname',
  roots: 'roots',
  requireLeafName: 'require_leaf_name',
  attested: 'attested',
  pins: 'pins',
  apiKey: 'api_key',
} as const satisfies Record<keyof WrittenUpstream, string>

function usable<T>(read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!(thrown instanceof UnusableUpstream)) throw thrown
    throw wrong(fields[thrown.part], thrown.message)
  }
}
