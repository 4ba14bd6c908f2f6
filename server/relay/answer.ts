import { ApiError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { answerBody, parseAnswer, type WholeAnswer } from './answer-body.ts'
import { Client } from './client.ts'
import { countUsage } from './count-usage.ts'
import type { RelayDependencies } from './dependencies.ts'
import { fallBack } from './fallback.ts'
import { Hop, type Sink } from './hop.ts'
import { causeOf } from './observation.ts'
import { unusableError } from './refusals.ts'
import { meteredError, NO_USAGE, Settler, unsettledError } from './settler.ts'
import type { RelayTask } from './task.ts'
import type { Settled } from './usage.ts'

/** Bytes of an answer that are taken into memory; the largest are lists of embeddings (ours). */
const MAX_ANSWER_BYTES = 33_554_432

/**
 * Relays one answer that is not streamed (CHAT-01): one JSON body, sent once its debit is committed.
 * Throws the error to answer with otherwise; a client that left is no error.
 */
export async function relayAnswer(task: RelayTask, dependencies: RelayDependencies): Promise<void> {
  const settler = new Settler(task, dependencies)
  const client = new Client(task, dependencies.timers.stalledClientMs)
  const collector = new AnswerCollector(task.generation.operation)
  const hop = new Hop(task, dependencies, client, collector)
  const end = await hop.run()
  // What is returned without `await` is waited for twice.
  if (end.kind === 'done') return await complete(task, collector.answer!, hop, settler)
  const next = await fallBack(task, hop, end, dependencies.log)
  if (next !== undefined) return relayAnswer(next, dependencies)
  const isMetered = end.kind !== 'failed' && hop.isWorkedOn
  const counted = isMetered ? await countUsage(task, 0, true) : NO_USAGE
  const { backendMs, destination } = hop
  const facts = { cause: causeOf(end), backendMs, destination }
  await settler.abort({ finishReason: null, reported: undefined, counted }, facts)
  if (end.kind === 'gone') return
  client.release()
  throw counted.promptTokens > 0 ? meteredError(end.error) : end.error
}

/** Takes a backend's answer whole. */
class AnswerCollector implements Sink {
  readonly accept = 'application/json'
  answer: WholeAnswer | undefined
  readonly #operation: Operation
  readonly #pieces: Buffer[] = []
  #length = 0

  constructor(operation: Operation) {
    this.#operation = operation
  }

  onHead(): void {}

  onBytes(bytes: Buffer): 'more' {
    this.#length += bytes.length
    if (this.#length > MAX_ANSWER_BYTES) throw unusableError()
    this.#pieces.push(bytes)
    return 'more'
  }

  onBytesEnd(): void {
    this.answer = parseAnswer(Buffer.concat(this.#pieces), this.#operation)
  }

  /** JSON tells by itself where it ends. */
  isWhole(): boolean {
    try {
      this.onBytesEnd()
      return true
    } catch (thrown) {
      if (thrown instanceof ApiError) return false
      throw thrown
    }
  }
}

async function complete(task: RelayTask, answer: WholeAnswer, hop: Hop, settler: Settler): Promise<void> {
  const { generation } = task
  const { client, backendMs, destination } = hop
  const { finishReason, reported, countedCompletionTokens } = answer
  const counting = countUsage(task, countedCompletionTokens, reported === undefined)
  const counted = counting instanceof Promise ? await counting : counting
  if (client.isGone) {
    // It left while a tokenizer counted the prompt: nobody has the answer (GEN-24).
    const nothing = { finishReason: null, reported: undefined, counted: { ...counted, completionTokens: 0 } }
    return settler.abort(nothing, { cause: 'client_left', backendMs, destination })
  }
  const consumed = { finishReason, reported: reported?.usage, counted }
  let settled: Settled
  try {
    settled = await settler.settle(consumed, { backendMs, destination })
  } catch (thrown) {
    client.release()
    throw unsettledError(thrown)
  }
  const body = answerBody(answer, generation, settled)
  client.answer({ 'Content-Type': 'application/json', 'Content-Length': String(body.length) }, body)
}
