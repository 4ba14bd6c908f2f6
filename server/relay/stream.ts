import type { ApiError } from '../errors.ts'
import { countUsage } from './count-usage.ts'
import type { RelayDependencies } from './dependencies.ts'
import { fallBack } from './fallback.ts'
import { DONE_EVENT, errorEvent, usageEvent } from './frames.ts'
import type { HopEnd } from './hop-end.ts'
import { causeOf } from './observation.ts'
import { type Consumed, meteredError, NO_USAGE, Settler, unsettledError } from './settler.ts'
import { StreamFeed } from './stream-feed.ts'
import type { RelayTask } from './task.ts'
import type { Settled } from './usage.ts'

/**
 * Relays one stream (STRM-05). Whichever way it ends, it is settled once and before the client can see the end
 * (CRED-32). Throws the error to answer with when nothing was sent yet.
 */
export async function relayStream(task: RelayTask, dependencies: RelayDependencies): Promise<void> {
  const settler = new Settler(task.generation, dependencies)
  const feed = new StreamFeed(task, dependencies, settler)
  const end = await feed.run()
  if (end.kind === 'done') return complete(task, feed, settler)
  const next = await fallBack(task, feed.hop, end, dependencies.log)
  if (next !== undefined) return relayStream(next, dependencies)
  const isNothing = isFree(end.kind, feed)
  const { backendMs, destination } = feed.hop
  const facts = { cause: causeOf(end), backendMs, destination }
  await settler.abort(isNothing ? nothing(feed) : await delivered(task, feed), facts)
  if (end.kind !== 'gone') breakOff(feed, isNothing ? end.error : meteredError(end.error))
}

/** The backend has said `[DONE]`. */
async function complete(task: RelayTask, feed: StreamFeed, settler: Settler): Promise<void> {
  const { finishReason, reported, created } = feed.rewriter
  const { backendMs, destination } = feed.hop
  const counted = await countUsage(task, feed.deliveredTokens, reported === undefined)
  const consumed = { finishReason, reported: reported?.usage, counted }
  let settled: Settled
  try {
    settled = await settler.settle(consumed, { backendMs, destination })
  } catch (thrown) {
    return breakOff(feed, unsettledError(thrown))
  }
  feed.startAnswer()
  const { generation, includeUsage } = task
  const shown = includeUsage ? [usageEvent({ generation, settled, reported, created })] : []
  feed.hop.client.end(Buffer.concat([...shown, DONE_EVENT]))
}

/** An error after the stream started is its last event; before, it is the answer (STRM-06). */
function breakOff({ hop: { client } }: StreamFeed, error: ApiError): void {
  if (client.isStarted) client.end(Buffer.concat([errorEvent(error), DONE_EVENT]))
  else {
    client.release()
    throw error
  }
}

/** A backend that fails before any token costs nothing, and neither does a request that never left. */
function isFree(kind: HopEnd['kind'], { deliveredTokens, hop }: StreamFeed): boolean {
  return kind === 'failed' ? deliveredTokens === 0 : !hop.isSent
}

function nothing({ rewriter }: StreamFeed): Consumed {
  return { finishReason: rewriter.finishReason, reported: undefined, counted: NO_USAGE }
}

/** The backend's usage when it speaks of all that was delivered, else the router's own count (MET-09). */
async function delivered(task: RelayTask, feed: StreamFeed): Promise<Consumed> {
  const { finishReason, reported, isUsageStale } = feed.rewriter
  const usage = isUsageStale ? undefined : reported?.usage
  return {
    finishReason,
    reported: usage,
    counted: await countUsage(task, feed.deliveredTokens, usage === undefined),
  }
}
