import { setTimeout as sleep } from 'node:timers/promises'
import { parsePin, parseRoots } from '#attestation'
import { limits } from '#contract/limits'
import type { Sql } from '../store/connection.ts'
import { addUpstream, disableUpstream, enableUpstream } from '../upstreams/administration.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import { ControlError, type ControlHandler } from './handlers.ts'

/** What these handlers need from the router. */
export interface UpstreamControl {
  readonly sql: Sql
  readonly upstreams: Pick<Upstreams, 'find'>
  readonly secret: () => Buffer
}

/** Registers an upstream, or registers it anew; it is known to this router when this resolves. */
export function registeringUpstreams({
  sql,
  upstreams,
  secret,
}: UpstreamControl): ControlHandler<'registerUpstream'> {
  return async ({ endpoint: name, url, hostname, roots, pins, api_key: apiKey }) => {
    const pem = roots.join('\n')
    readable(() => parseRoots(pem))
    const upstream = {
      name,
      url,
      hostname: hostname ?? new URL(url).hostname,
      roots: pem,
      requireLeafName: true,
      attested: undefined,
      pins: readable(() => pins.map(parsePin)),
      apiKey,
    }
    const registration = await addUpstream(sql, upstream, { secret, replace: true })
    await until(() => upstreams.find(name)?.registration.id === registration!.id)
    return {}
  }
}

/** Has this router hold a verdict. What only time or a silent gateway can bring about cannot be set. */
export function settingVerdicts({ sql, upstreams }: UpstreamControl): ControlHandler<'setVerdict'> {
  return async ({ endpoint: name, state }) => {
    if (!upstreams.find(name)) throw new ControlError(`There is no upstream ${name}.`)
    if (state === 'pending')
      throw new ControlError('An upstream is pending while it is checked: let its gateway stay silent.')
    await acts[state](sql, name)
    await until(() => upstreams.find(name)?.endpoint.verdict.state === state)
    return {}
  }
}

const acts = { disabled: disableUpstream, admitted: enableUpstream, denied: denyUpstream } as const

/** As if another router had found its approval withdrawn. */
async function denyUpstream(sql: Sql, name: string): Promise<void> {
  await sql`
    update upstreams set is_disabled = false, denied_at = clock_timestamp(), denied_stage = 'policy',
      denied_reason = 'digest_not_pinned', revision = revision + 1
    where name = ${name}`
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ControlError((cause as Error).message, { cause })
  }
}

const LOOK_MS = 20

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + limits.verdictWaitMs
  while (!condition()) {
    if (performance.now() > deadline) throw new ControlError('The router did not come to it in time.')
    await sleep(LOOK_MS)
  }
}
