import type { Buckets } from '../limits/buckets.ts'
import type { KeyLimits } from '../limits/key-limits.ts'
import type { Log } from '../log.ts'
import { OutageError } from '../store/outage.ts'
import { within } from '../store/retry.ts'
import { billable } from './billable.ts'
import type { Admitted, Candidate } from './candidate.ts'
import type { Outcome, Pricing, Receipt, RunningGeneration, ServedBy } from './generation.ts'
import { toMilliseconds } from './milliseconds.ts'
import { costMicros } from './price.ts'
import type { Running, RunningSet } from './running.ts'
import type { Settlement, SettlementItem } from './settlement.ts'
import { SettlementError } from './settlement-error.ts'

/** What a running generation needs from the world. */
export interface GenerationOptions {
  readonly settlement: Settlement
  /** What a generation has used is taken from them, however it ends. */
  readonly buckets: Buckets
  readonly running: RunningSet
  /** Has a hold name another model; resolves whether it was still there. */
  readonly moveHold: (running: Running, served: ServedBy) => Promise<boolean>
  /** How long the end of an answer waits for the database. */
  readonly outageMs: number
  readonly log: Log
  /** Told when a hold stays behind because the database refuses its record. */
  readonly onUncertain: () => void
}

/** OpenAI's values and what resembles them; anything else could be content, which has no place in a record. */
const FINISH_REASON = /^[A-Za-z_]{1,32}$/

/** Makes the running generation of an admitted request and enters it among the running ones. */
export function createGeneration(
  candidate: Candidate,
  admitted: Admitted,
  options: GenerationOptions,
): RunningGeneration {
  const { generationId: id } = candidate
  const { workspaceId, keyId } = admitted
  const running: Running = { id, workspaceId, completionTokens: 0, writtenTokens: 0 }
  options.running.add(running)
  let settled: Promise<Receipt> | undefined

  function make(served: Candidate): RunningGeneration {
    const { keyHash: _hash, holdMicros: _held, generationId: _id, ...shown } = served
    return {
      ...shown,
      id,
      workspaceId,
      keyId,
      progress(completionTokens) {
        running.completionTokens = Math.min(completionTokens, served.outputCapTokens)
      },
      async serveBy(other) {
        const isMoved = await within(options.moveHold(running, other), options.outageMs)
        if (!isMoved) throw new SettlementError('reaped')
        return make({ ...served, ...other })
      },
      settle(outcome) {
        settled ??= settle(toItem(served, running, outcome), served, admitted, options)
        return settled
      },
    }
  }
  return make(candidate)
}

async function settle(
  item: SettlementItem,
  { requestId, generationId, pricing }: Candidate,
  key: KeyLimits,
  options: GenerationOptions,
): Promise<Receipt> {
  const { settlement, buckets, running, outageMs, log, onUncertain } = options
  const ids = { requestId, generationId }
  const { promptTokens, completionTokens, costMicros } = item
  const tokens = promptTokens + completionTokens
  const debited = buckets.debit(key, tokens)
  const written = settlement.settle(item).finally(() => running.remove(generationId))
  try {
    const result = await within(written, outageMs)
    // Whoever has seen the end of an answer finds its tokens taken, at every router.
    await debited
    if (result === 'settled') return { costMicros, ledgerId: `led_${generationId.slice('gen-'.length)}` }
  } catch (error) {
    if (error instanceof OutageError) {
      const { completionTokens: kept } = withhold(item, pricing)
      written.catch((cause) => log.error('a generation was left to be reaped', { ...ids, error: cause }))
      await buckets.debit(key, kept - completionTokens)
      throw new SettlementError('unavailable', error)
    }
    log.error('the database refuses a record', { ...ids, error })
    onUncertain()
    throw new SettlementError('refused', error)
  }
  // Who settled it has taken what the record says.
  await buckets.debit(key, -tokens)
  throw new SettlementError('reaped')
}

/**
 * The client is about to be told of an error: whenever this is written, it must say what the client saw. Who has seen
 * tokens of a stream pays for them; an answer of which nothing was delivered costs its prompt (CRED-33).
 */
function withhold(item: SettlementItem, pricing: Pricing): SettlementItem {
  item.isWithheld = true
  item.status = 'aborted'
  if (item.timeToFirstTokenMs === null) item.completionTokens = 0
  item.costMicros = costMicros(item, pricing)
  return item
}

function toItem(candidate: Candidate, running: Running, outcome: Outcome): SettlementItem {
  const { generationId, pricing, countedPromptTokens } = candidate
  const { status, finishReason, latencyMs, timeToFirstTokenMs } = outcome
  // The relay has seen to it; what goes into the books is looked at once more, by the same rule.
  const counted = { promptTokens: countedPromptTokens, completionTokens: running.completionTokens }
  const { usage, usageSource } = billable(candidate, outcome.usage, counted)
  return {
    workspaceId: running.workspaceId,
    generationId,
    isWithheld: false,
    status,
    finishReason: finishReason === null || FINISH_REASON.test(finishReason) ? finishReason : 'other',
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    usageSource: usageSource === 'backend' ? outcome.usageSource : usageSource,
    costMicros: costMicros(usage, pricing),
    latencyMs: toMilliseconds(latencyMs),
    timeToFirstTokenMs: timeToFirstTokenMs === null ? null : toMilliseconds(timeToFirstTokenMs),
  }
}
