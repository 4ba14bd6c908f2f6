import type { Buckets } from '../limits/buckets.ts'
import type { Log } from '../log.ts'
import { HEARING } from '../store/database-clock.ts'
import { OutageError } from '../store/outage.ts'
import { within } from '../store/retry.ts'
import { billable } from './billable.ts'
import type {
  AcceptedGeneration,
  GenerationEnd,
  Pricing,
  Receipt,
  RunningGeneration,
  ServedBy,
} from './generation.ts'
import { toMilliseconds } from './milliseconds.ts'
import { costMicros } from './price.ts'
import type { Running, RunningPlace, RunningSet } from './running.ts'
import type { Settlement, SettlementItem, SettlementResult } from './settlement.ts'
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

/** Does what settles a generation. */
export type Settling = <Result>(settle: () => Promise<Result>) => Promise<Result>

/** OpenAI's values and what resembles them; anything else could be content, which has no place in a record. */
const FINISH_REASON = /^[A-Za-z_]{1,32}$/

/** Makes a running generation of an accepted one, which takes its place among the running ones. */
export function createGeneration(
  accepted: AcceptedGeneration,
  place: RunningPlace,
  options: GenerationOptions,
  settling: Settling = (work) => work(),
): RunningGeneration {
  const { id, key } = accepted
  const running: Running = { id, workspaceId: key.workspaceId, completionTokens: 0, writtenTokens: 0 }
  options.running.add(place, running)
  let settled: Promise<Receipt> | undefined

  function make(generation: AcceptedGeneration): RunningGeneration {
    return {
      ...generation,
      progress(completionTokens) {
        running.completionTokens = Math.min(completionTokens, generation.outputCapTokens)
      },
      async serveBy(other) {
        const isMoved = await within(options.moveHold(running, other), options.outageMs)
        if (!isMoved) throw new SettlementError('reaped')
        return make({ ...generation, ...other })
      },
      settle(end) {
        settled ??= settling(() => settle(toItem(generation, running, end), generation, place, options))
        return settled
      },
    }
  }
  return make(accepted)
}

async function settle(
  item: SettlementItem,
  { requestId, id: generationId, key, pricing }: AcceptedGeneration,
  place: RunningPlace,
  options: GenerationOptions,
): Promise<Receipt> {
  const { settlement, buckets, running, outageMs, log, onUncertain } = options
  const { promptTokens, completionTokens, costMicros } = item
  const tokens = promptTokens + completionTokens
  const withheld = () => asWithheld(item, pricing)
  const untilMs = performance.now() + outageMs
  const settling = settlement.settle(item, { untilMs, withheld })
  const leave = () => running.remove(place)
  settling.written.then(leave, leave)
  const debited = buckets.debit(key, tokens)
  let result: SettlementResult
  try {
    result = await within(settling.written, outageMs * HEARING)
  } catch (error) {
    const ids = { requestId, generationId }
    if (!(error instanceof OutageError)) {
      log.error('the database refuses a record', { ...ids, error })
      onUncertain()
      throw new SettlementError('refused', error)
    }
    settling.withhold()
    settling.written.catch((cause) =>
      log.error('a generation was left to be reaped', { ...ids, error: cause }),
    )
    result = 'withheld'
  }
  // Whoever has seen the end of an answer finds its tokens taken, at every router.
  if (debited instanceof Promise) await debited
  if (result === 'settled') return { costMicros, ledgerId: `led_${generationId.slice('gen-'.length)}` }
  // Who settled it in our place has taken what the record says.
  const recorded = result === 'withheld' ? promptTokens + withheld().completionTokens : 0
  await buckets.debit(key, recorded - tokens)
  throw new SettlementError(result === 'withheld' ? 'unavailable' : 'reaped')
}

/**
 * The client is about to be told of an error: whenever this is written, it must say what the client saw. Who has seen
 * tokens of a stream pays for them; an answer of which nothing was delivered costs its prompt (CRED-33).
 */
function asWithheld(item: SettlementItem, pricing: Pricing): SettlementItem {
  const completionTokens = item.timeToFirstTokenMs === null ? 0 : item.completionTokens
  const usage = { promptTokens: item.promptTokens, completionTokens }
  return { ...item, status: 'aborted', completionTokens, costMicros: costMicros(usage, pricing) }
}

function toItem(generation: AcceptedGeneration, running: Running, end: GenerationEnd): SettlementItem {
  const { id: generationId, pricing, countedPromptTokens } = generation
  const { status, finishReason, latencyMs, timeToFirstTokenMs } = end
  // The relay has applied this rule; before the books it is applied again.
  const counted = { promptTokens: countedPromptTokens, completionTokens: running.completionTokens }
  const { usage, usageSource } = billable(generation, end.usage, counted)
  return {
    workspaceId: running.workspaceId,
    generationId,
    status,
    finishReason: finishReason === null || FINISH_REASON.test(finishReason) ? finishReason : 'other',
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    usageSource: usageSource === 'backend' ? end.usageSource : usageSource,
    costMicros: costMicros(usage, pricing),
    latencyMs: toMilliseconds(latencyMs),
    timeToFirstTokenMs: timeToFirstTokenMs === null ? null : toMilliseconds(timeToFirstTokenMs),
  }
}
