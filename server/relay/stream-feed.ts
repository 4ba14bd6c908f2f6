import { isObject } from '#base/object.ts'
import type { ApiError } from '../errors.ts'
import type { AnswerHead } from './attempt.ts'
import type { Destination } from './backend.ts'
import type { Client } from './client.ts'
import { PING, STREAM_HEADERS } from './frames.ts'
import type { Sink } from './hop.ts'
import { refusalError, unavailableError, unusableError } from './refusals.ts'
import type { Settler } from './settler.ts'
import type { StreamFault } from './sse/faults.ts'
import { StreamRewriter } from './sse/rewriter.ts'
import type { RelayTask } from './task.ts'

/** Hands the client what a backend streams, and counts it, until the stream has an end (STRM-04, STRM-18). */
export class StreamFeed implements Sink {
  readonly accept = 'text/event-stream'
  readonly rewriter: StreamRewriter
  /** The router's own count of what was handed to the client. */
  deliveredTokens = 0
  readonly #task: RelayTask
  readonly #client: Client
  readonly #settler: Settler
  #from: Destination | undefined

  constructor(task: RelayTask, client: Client, settler: Settler, maxEventBytes: number) {
    const { id, model, operation } = task.generation
    const { includeUsage } = task
    this.rewriter = new StreamRewriter({ id, model, operation, includeUsage, maxEventBytes })
    this.#task = task
    this.#client = client
    this.#settler = settler
  }

  /** Whether all that may be generated was, and the backend has not told its usage yet. */
  get awaitsUsage(): boolean {
    const { isFinished, deltas, reported, isUsageStale } = this.rewriter
    const isComplete = isFinished || deltas >= this.#task.generation.outputCapTokens
    return isComplete && (reported === undefined || isUsageStale)
  }

  /** Sends the head, which waits for the first event or ping, so that an early failure keeps its own status. */
  startAnswer(): void {
    if (!this.#client.isStarted) this.#client.start(STREAM_HEADERS)
  }

  /** Says that there is nothing to say yet. */
  ping(): void {
    if (this.#client.isFull) return
    this.startAnswer()
    this.#client.write(PING)
  }

  onHead({ contentType }: AnswerHead, from: Destination): void {
    this.#from = from
    if (!contentType.toLowerCase().startsWith('text/event-stream')) throw unusableError()
  }

  onBytes(bytes: Buffer): 'more' | 'wait' | 'done' {
    const events = this.rewriter.read(bytes)
    const goesOn = events.length === 0 || this.#deliver(events)
    const { fault, isDone } = this.rewriter
    if (fault !== undefined) throw this.#errorFor(fault)
    if (isDone || (this.#client.isGone && !this.awaitsUsage)) return 'done'
    return goesOn ? 'more' : 'wait'
  }

  onBytesEnd(): void {
    this.rewriter.end()
    if (!this.rewriter.isDone) throw unavailableError()
  }

  /** Returns whether more may be written at once. */
  #deliver(events: Buffer): boolean {
    this.startAnswer()
    if (this.#client.isGone) return true
    const goesOn = this.#client.write(events)
    const { tokens } = this.rewriter
    if (tokens > this.deliveredTokens) {
      this.deliveredTokens = tokens
      this.#settler.delivered(tokens)
    }
    return goesOn
  }

  /** An error that is the first thing said may still be a refusal: SGLang and vLLM refuse within a stream. */
  #errorFor(fault: StreamFault): ApiError {
    if (fault.kind !== 'error' || this.#client.isStarted) return unusableError()
    const code = isObject(fault.body) && isObject(fault.body.error) ? Number(fault.body.error.code) : 0
    if (code !== 400 && code !== 422) return unusableError()
    const refusal = { status: code, retryAfter: undefined, body: fault.body }
    return refusalError(refusal, this.#task.generation.operation, this.#from!.config)
  }
}
