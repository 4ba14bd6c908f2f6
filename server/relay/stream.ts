import type { ApiError } from '../errors.ts'
import { Client } from './client.ts'
import { countUsage } from './count-usage.ts'
import type { RelayDependencies } from './dependencies.ts'
import { fallBack } from './fallback.ts'
import { DONE_EVENT, errorEvent, usageEvent } from './frames.ts'
import { Hop } from './hop.ts'
import type { HopEnd } from './hop-end.ts'
import { causeOf } from './observation.ts'
import { Pings } from './pings.ts'
import { type Consumed, meteredError, NO_USAGE, Settler, unsettledError } from './settler.ts'
import { StreamFeed } from './stream-feed.ts'
import type { RelayTask } from './task.ts'
import type { Settled } from './usage.ts'

/**
 * Relays one stream (STRM-05). Whichever way it ends, it is settled once and before the client can see the end
 * (CRED-32). Throws the error to answer with when nothing was sent yet.
 */
export async function relayStream(
  task: RelayTask,
  dependencies: RelayDependencies,
  pings = new Pings(dependencies.timers.pingMs),
): Promise<void> {
  const settler = new Settler(task, dependencies)
  const client = new Client(task, dependencies.timers.stalledClientMs)
  const feed = new StreamFeed(task, client, settler, dependencies.maxEventBytes)
  const hop = new Hop(task, dependencies, client, feed)
  pings.by(() => ping(pings, task, feed, hop))
  const end = await hop.run()
  if (end.kind === 'done') {
    pings.stop()
    return complete(task, feed, hop, settler)
  }
  // Another model's verdict may have to be waited for.
  pings.by(() => feed.ping())
  const next = await fallBack(task, hop, end, dependencies.log)
  if (next !== undefined) return relayStream(next, dependencies, pings)
  pings.stop()
  const isNothing = isFree(end.kind, feed, hop)
  const { backendMs, destination } = hop
  const facts = { cause: causeOf(end), backendMs, destination }
  await settler.abort(isNothing ? nothing(feed) : await delivered(task, feed), facts)
  if (end.kind !== 'gone') breakOff(client, isNothing ? end.error : meteredError(end.error))
}

/** Pings until a token was delivered (STRM-02). */
function ping(pings: Pings, task: RelayTask, feed: StreamFeed, hop: Hop): void {
  if (feed.deliveredTokens > 0) pings.stop()
  // A refusal keeps its own status, and while an upstream's new certificate is waited for, nothing is sent.
  else if (!hop.isRefused && (task.passage === undefined || hop.isSent)) feed.ping()
}

/** The backend has said `[DONE]`. */
async function complete(task: RelayTask, feed: StreamFeed, hop: Hop, settler: Settler): Promise<void> {
  const { finishReason, reported, created } = feed.rewriter
  const { client, backendMs, destination } = hop
  const counted = await countUsage(task, feed.deliveredTokens, reported === undefined)
  const consumed = { finishReason, reported: reported?.usage, counted }
  // It left while a tokenizer counted the prompt, before its [DONE] (GEN-12).
  if (client.isGone) return settler.abort(consumed, { cause: 'client_left', backendMs, destination })
  let settled: Settled
  try {
    settled = await settler.settle(consumed, { backendMs, destination })
  } catch (thrown) {
    return breakOff(client, unsettledError(thrown))
  }
  feed.startAnswer()
  const { generation, includeUsage } = task
  const shown = includeUsage ? [usageEvent({ generation, settled, reported, created })] : []
  client.end(Buffer.concat([...shown, DONE_EVENT]))
}

/** An error after the stream started is its last event; before, it is the answer (STRM-06). */
function breakOff(client: Client, error: ApiError): void {
  if (client.isStarted) client.end(Buffer.concat([errorEvent(error), DONE_EVENT]))
  else {
    client.release()
    throw error
  }
}

/** A backend that fails before any token costs nothing, and neither does a request that none has taken. */
function isFree(kind: HopEnd['kind'], { deliveredTokens }: StreamFeed, hop: Hop): boolean {
  return kind === 'failed' ? deliveredTokens === 0 : !hop.isWorkedOn
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
