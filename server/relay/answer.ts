import { ApiError } from '../errors.ts'
import { answerBody, parseAnswer, type WholeAnswer } from './answer-body.ts'
import type { AnswerHead } from './attempt.ts'
import { countUsage } from './count-usage.ts'
import type { RelayDependencies } from './dependencies.ts'
import { fallBack } from './fallback.ts'
import { Hop } from './hop.ts'
import type { HopEnd } from './hop-end.ts'
import { causeOf } from './observation.ts'
import { unusableError } from './refusals.ts'
import { meteredError, NO_USAGE, Settler, unsettledError } from './settler.ts'
import type { RelayTask } from './task.ts'
import type { Settled } from './usage.ts'

/** Bytes of an answer that are taken into memory; the largest are lists of embeddings (ours). */
const MAX_ANSWER_BYTES = 33_554_432

/** Silence after which an answer without a length is looked at: some backends never close what they say they will (ours). */
const OPEN_ENDED_MS = 1_000

/**
 * Relays one answer that is not streamed (CHAT-01): one JSON body, sent once its debit is committed.
 * Throws the error to answer with otherwise; a client that left is no error.
 */
export async function relayAnswer(task: RelayTask, dependencies: RelayDependencies): Promise<void> {
  const settler = new Settler(task.generation, dependencies)
  const collector = new AnswerCollector(task, dependencies)
  const end = await collector.run()
  if (end.kind === 'done') return complete(task, collector, settler)
  const next = await fallBack(task, collector.hop, end, dependencies.log)
  if (next !== undefined) return relayAnswer(next, dependencies)
  const isMetered = end.kind !== 'failed' && collector.hop.isSent
  const counted = isMetered ? await countUsage(task, 0, true) : NO_USAGE
  const { backendMs, destination } = collector.hop
  const facts = { cause: causeOf(end), backendMs, destination }
  await settler.abort({ finishReason: null, reported: undefined, counted }, facts)
  if (end.kind === 'gone') return
  collector.hop.client.release()
  throw counted.promptTokens > 0 ? meteredError(end.error) : end.error
}

/** Takes a backend's answer whole. */
class AnswerCollector {
  readonly accept = 'application/json'
  readonly hop: Hop
  answer: WholeAnswer | undefined
  readonly #task: RelayTask
  readonly #pieces: Buffer[] = []
  #length = 0
  #isOpenEnded = false
  #silence: NodeJS.Timeout | undefined

  constructor(task: RelayTask, dependencies: RelayDependencies) {
    this.#task = task
    this.hop = new Hop(task, dependencies, this)
  }

  async run(): Promise<HopEnd> {
    const end = await this.hop.run()
    clearTimeout(this.#silence)
    return end
  }

  onHead({ hasLength }: AnswerHead): void {
    this.#isOpenEnded = !hasLength
  }

  onBytes(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > MAX_ANSWER_BYTES) throw unusableError()
    this.#pieces.push(bytes)
    if (!this.#isOpenEnded) return
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#endIfWhole(), OPEN_ENDED_MS)
  }

  onBytesEnd(): void {
    this.answer = parseAnswer(Buffer.concat(this.#pieces), this.#task.generation.operation)
    this.hop.end({ kind: 'done' })
  }

  /** JSON tells by itself where it ends. What is not whole yet may still come. */
  #endIfWhole(): void {
    try {
      this.onBytesEnd()
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
    }
  }
}

async function complete(task: RelayTask, collector: AnswerCollector, settler: Settler): Promise<void> {
  const { generation } = task
  const { client, backendMs, destination } = collector.hop
  const answer = collector.answer!
  const { finishReason, reported, countedCompletionTokens } = answer
  const counted = await countUsage(task, countedCompletionTokens, reported === undefined)
  const consumed = { finishReason, reported: reported?.usage, counted }
  let settled: Settled
  try {
    settled = await settler.settle(consumed, { backendMs, destination })
  } catch (thrown) {
    client.release()
    throw unsettledError(thrown)
  }
  const body = answerBody(answer, generation, settled)
  client.start({ 'Content-Type': 'application/json', 'Content-Length': String(body.length) })
  client.end(body)
}
