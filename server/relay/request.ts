import { findMember, type Member, membersOf, type ScannedObject } from '../json/members.ts'
import { byte } from '../json/scan.ts'
import { spell } from '../json/spell.ts'
import { splice } from '../json/splice.ts'
import type { BackendConfig } from './backend.ts'

/**
 * The client's body as one backend is to get it: its own name for the model and, for a stream, usage asked for
 * beside whatever else the client put into `stream_options` (RLAY-01, RLAY-02). All other bytes stay as they are.
 */
export function backendBody(
  { bytes, span }: ScannedObject,
  additions: Readonly<Record<string, string>> | undefined,
  { model, usage }: BackendConfig,
  streamed: boolean,
): Buffer {
  const changes: Record<string, Buffer | string> = { ...additions, model: spell(model) }
  if (streamed) {
    const options = findMember(span, 'stream_options')
    changes.stream_options = withUsageAsked(bytes, options, usage === 'continuous')
  }
  return splice(bytes, span, changes)
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
