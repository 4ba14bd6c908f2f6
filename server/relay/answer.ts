import type { Receipt } from '../metering/generation.ts'
import { type Answer, answerBody, parseAnswer } from './answer-body.ts'
import type { RelayDependencies } from './dependencies.ts'
import { Hop } from './hop.ts'
import { causeOf } from './observation.ts'
import { unusableError } from './refusals.ts'
import { meteredError, NO_USAGE, Settlement, unsettledError } from './settlement.ts'
import type { RelayTask } from './task.ts'

/** Bytes of an answer that are taken into memory; the largest are lists of embeddings (ours). */
const MAX_ANSWER_BYTES = 33_554_432

/**
 * Relays one answer that is not streamed (§2.3.1): one JSON body, sent once its debit is committed.
 * Throws the error to answer with otherwise; a client that left is no error.
 */
export async function relayAnswer(task: RelayTask, dependencies: RelayDependencies): Promise<void> {
  const settlement = new Settlement(task.generation, dependencies)
  const collector = new AnswerCollector(task, dependencies)
  const end = await collector.hop.run()
  if (end.kind === 'done') return complete(task, collector, settlement)
  const promptTokens = end.kind !== 'failed' && collector.hop.isSent ? task.generation.countedPromptTokens : 0
  const usage = { ...NO_USAGE, promptTokens }
  const circumstances = { cause: causeOf(end), backendMs: collector.hop.backendMs }
  await settlement.abort({ finishReason: null, usage, usageSource: 'counted' }, circumstances)
  if (end.kind === 'gone') return
  collector.hop.client.release()
  throw promptTokens > 0 ? meteredError(end.error) : end.error
}

/** Takes a backend's answer whole. */
class AnswerCollector {
  readonly accept = 'application/json'
  readonly hop: Hop
  answer: Answer | undefined
  readonly #task: RelayTask
  readonly #pieces: Buffer[] = []
  #length = 0

  constructor(task: RelayTask, dependencies: RelayDependencies) {
    this.#task = task
    this.hop = new Hop(task, dependencies, this)
  }

  onHead(): void {}

  onBytes(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > MAX_ANSWER_BYTES) throw unusableError()
    this.#pieces.push(bytes)
  }

  onBytesEnd(): void {
    this.answer = parseAnswer(Buffer.concat(this.#pieces), this.#task.generation.operation)
    this.hop.end({ kind: 'done' })
  }
}

async function complete(task: RelayTask, collector: AnswerCollector, settlement: Settlement): Promise<void> {
  const { generation, headers } = task
  const { client, backendMs } = collector.hop
  const answer = collector.answer!
  const { finishReason, reported, countedCompletionTokens } = answer
  const counted = {
    promptTokens: generation.countedPromptTokens,
    completionTokens: Math.min(countedCompletionTokens, generation.outputCapTokens),
  }
  const usage = reported?.usage ?? counted
  const usageSource = reported === undefined ? 'counted' : 'backend'
  let receipt: Receipt
  try {
    receipt = await settlement.settle({ status: 'ok', finishReason, usage, usageSource }, { backendMs })
  } catch (thrown) {
    client.release()
    throw unsettledError(thrown)
  }
  const body = answerBody(answer, generation, usage, receipt)
  client.start({ ...headers, 'Content-Type': 'application/json', 'Content-Length': String(body.length) })
  client.end(body)
}
