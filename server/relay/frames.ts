import type { ApiError } from '../errors.ts'
import type { RunningGeneration } from '../metering/generation.ts'
import { operations } from '../operation.ts'
import { type ReportedUsage, type Settled, shownUsage } from './usage.ts'

/** Headers of every stream (STRM-23). */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Says that the answer is still being waited for (STRM-02). */
export const PING = Buffer.from(': ping\n\n')

/** Ends every stream (STRM-04). */
export const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** The last event but one of a stream that failed (STRM-06). */
export function errorEvent(error: ApiError): Buffer {
  return Buffer.from(`data: ${JSON.stringify(error.toBody())}\n\n`)
}

/** What a usage-only chunk is made of. */
export interface UsageFacts {
  readonly generation: RunningGeneration
  readonly settled: Settled
  readonly reported: ReportedUsage | undefined
  /** Unix seconds that the backend's chunks name. */
  readonly created: number | undefined
}

/** The one chunk that shows usage, for clients that asked (STRM-03). */
export function usageEvent({ generation, settled, reported, created }: UsageFacts): Buffer {
  const head = JSON.stringify({
    id: generation.id,
    object: operations[generation.operation].chunkObject,
    created: created ?? Math.floor(generation.createdAt.getTime() / 1_000),
    model: generation.model,
    choices: [],
  })
  const shown = shownUsage(generation, settled, reported)
  return Buffer.concat([Buffer.from(`data: ${head.slice(0, -1)},"usage":`), shown, Buffer.from('}\n\n')])
}
