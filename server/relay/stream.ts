import type { ApiError } from '../errors.ts'
import type { Receipt, Usage } from '../metering/generation.ts'
import type { RelayDependencies } from './dependencies.ts'
import { DONE_EVENT, errorEvent, usageEvent } from './frames.ts'
import type { End } from './hop.ts'
import { causeOf } from './observation.ts'
import { type Ending, meteredError, NO_USAGE, Settlement, unsettledError } from './settlement.ts'
import { StreamFeed } from './stream-feed.ts'
import type { RelayTask } from './task.ts'

/**
 * Relays one stream (§4.3). Whichever way it ends, it is settled once and before the client can see the end
 * (decisions, 2). Throws the error to answer with when nothing was sent yet.
 */
export async function relayStream(task: RelayTask, dependencies: RelayDependencies): Promise<void> {
  const settlement = new Settlement(task.generation, dependencies)
  const feed = new StreamFeed(task, dependencies, settlement)
  const end = await feed.run()
  if (end.kind === 'done') return complete(task, feed, settlement)
  const isNothing = isFree(end.kind, feed)
  const circumstances = { cause: causeOf(end), backendMs: feed.hop.backendMs }
  await settlement.abort(isNothing ? nothing(feed) : delivered(task, feed), circumstances)
  if (end.kind !== 'gone') breakOff(feed, isNothing ? end.error : meteredError(end.error))
}

/** The backend has said `[DONE]`. */
async function complete(task: RelayTask, feed: StreamFeed, settlement: Settlement): Promise<void> {
  const { finishReason, reported, created } = feed.rewriter
  const usage = reported?.usage ?? counted(task, feed)
  const usageSource = reported === undefined ? 'counted' : 'backend'
  let receipt: Receipt
  try {
    const { backendMs } = feed.hop
    receipt = await settlement.settle({ status: 'ok', finishReason, usage, usageSource }, { backendMs })
  } catch (thrown) {
    return breakOff(feed, unsettledError(thrown))
  }
  feed.startAnswer()
  const { generation, includeUsage } = task
  const shown = includeUsage ? [usageEvent({ generation, usage, reported, receipt, created })] : []
  feed.hop.client.end(Buffer.concat([...shown, DONE_EVENT]))
}

/** An error after the stream started is its last event; before, it is the answer (§4.3/6). */
function breakOff({ hop: { client } }: StreamFeed, error: ApiError): void {
  if (client.isStarted) client.end(Buffer.concat([errorEvent(error), DONE_EVENT]))
  else {
    client.release()
    throw error
  }
}

/** A backend that fails before any token costs nothing, and neither does a request that never left. */
function isFree(kind: End['kind'], { deliveredTokens, hop }: StreamFeed): boolean {
  return kind === 'failed' ? deliveredTokens === 0 : !hop.isSent
}

function nothing({ rewriter }: StreamFeed): Omit<Ending, 'status'> {
  return { finishReason: rewriter.finishReason, usage: NO_USAGE, usageSource: 'counted' }
}

/** The backend's usage when it speaks of all that was delivered, else the router's own count (decisions, 3). */
function delivered(task: RelayTask, feed: StreamFeed): Omit<Ending, 'status'> {
  const { finishReason, reported, isUsageStale } = feed.rewriter
  if (reported !== undefined && !isUsageStale) {
    return { finishReason, usage: reported.usage, usageSource: 'backend' }
  }
  return { finishReason, usage: counted(task, feed), usageSource: 'counted' }
}

function counted({ generation }: RelayTask, { deliveredTokens }: StreamFeed): Usage {
  const { countedPromptTokens: promptTokens, outputCapTokens } = generation
  return { promptTokens, completionTokens: Math.min(deliveredTokens, outputCapTokens) }
}
