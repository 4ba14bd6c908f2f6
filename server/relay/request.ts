import { findMember, membersOf } from '../json/members.ts'
import { type Changes, splice } from '../json/splice.ts'
import type { BackendConfig } from './backend.ts'
import type { RelayTask } from './task.ts'

/**
 * The client's body as one backend is to get it: its own name for the model and, for a stream, usage asked for
 * beside whatever else the client put into `stream_options` (decisions, 3). All other bytes stay as they are.
 */
export function backendBody(
  { body, additions = {} }: Pick<RelayTask, 'body' | 'additions'>,
  { model, usage }: BackendConfig,
  streamed: boolean,
): Buffer {
  const object = membersOf(body)
  const changes: Record<string, Buffer | string> = { ...additions, model: JSON.stringify(model) }
  if (streamed) {
    const options = findMember(object, 'stream_options')
    const bytes = options ? body.subarray(options.valueStart, options.end) : Buffer.from('{}')
    changes.stream_options = withUsageAsked(bytes, usage === 'continuous')
  }
  return splice(body, object, changes)
}

function withUsageAsked(options: Buffer, isContinuous: boolean): Buffer {
  const asked: Changes = {
    include_usage: 'true',
    ...(isContinuous ? { continuous_usage_stats: 'true' } : {}),
  }
  const isObject = options[0] === '{'.charCodeAt(0)
  const bytes = isObject ? options : Buffer.from('{}')
  return splice(bytes, membersOf(bytes), asked)
}
