import { findMember, type Member, membersOf } from '../json/members.ts'
import { byte } from '../json/scan.ts'
import { splice } from '../json/splice.ts'
import type { BackendConfig } from './backend.ts'
import type { RelayTask } from './task.ts'

/**
 * The client's body as one backend is to get it: its own name for the model and, for a stream, usage asked for
 * beside whatever else the client put into `stream_options` (RLAY-01, RLAY-02). All other bytes stay as they are.
 */
export function backendBody(
  {
    body,
    additions = {},
  }: { readonly body: Buffer; readonly additions?: RelayTask['additions'] | undefined },
  { model, usage }: BackendConfig,
  streamed: boolean,
): Buffer {
  const object = membersOf(body)
  const changes: Record<string, Buffer | string> = { ...additions, model: JSON.stringify(model) }
  if (streamed) {
    changes.stream_options = withUsageAsked(
      body,
      findMember(object, 'stream_options'),
      usage === 'continuous',
    )
  }
  return splice(body, object, changes)
}

/**
 * An object of the router's own: the client's members as they were sent, the router's behind them. A parser that lets
 * the last of two names win, however it folds them, finds the router's wish.
 */
function withUsageAsked(body: Buffer, options: Member | undefined, isContinuous: boolean): Buffer {
  const asked = isContinuous ? ['include_usage', 'continuous_usage_stats'] : ['include_usage']
  const isObject = options !== undefined && body[options.valueStart] === byte.openBrace
  const members = isObject ? membersOf(body, options.valueStart).members : []
  const kept = members
    .filter(({ name }) => !asked.includes(name))
    .flatMap(({ start, end }) => [body.subarray(start, end), Buffer.from(',')])
  return Buffer.concat([
    Buffer.from('{'),
    ...kept,
    Buffer.from(`${asked.map((name) => `"${name}":true`).join(',')}}`),
  ])
}
