import { isObject } from '#base/object.ts'
import type { ApiError } from '../errors.ts'
import type { AnswerHead } from './attempt.ts'
import type { RelayDependencies } from './dependencies.ts'
import { PING, STREAM_HEADERS } from './frames.ts'
import { Hop } from './hop.ts'
import type { HopEnd } from './hop-end.ts'
import { unavailableError, unusableError } from './refusals.ts'
import type { Settler } from './settler.ts'
import type { StreamFault } from './sse/faults.ts'
import { StreamRewriter } from './sse/rewriter.ts'
import type { RelayTask } from './task.ts'

/** Carries events from the backend to the client until the stream has an end (STRM-04, STRM-18). */
export class StreamFeed {
  readonly accept = 'text/event-stream'
  readonly rewriter: StreamRewriter
  readonly hop: Hop
  /** The router's own count of what was handed to the client. */
  deliveredTokens = 0
  readonly #outputCapTokens: number
  readonly #settler: Settler
  readonly #pings: NodeJS.Timeout
  readonly #isPinned: boolean

  constructor(task: RelayTask, dependencies: RelayDependencies, settler: Settler) {
    const { id, model, operation, outputCapTokens } = task.generation
    const { includeUsage } = task
    this.rewriter = new StreamRewriter({
      id,
      model,
      operation,
      includeUsage,
      maxEventBytes: dependencies.maxEventBytes,
    })
    this.hop = new Hop(task, dependencies, this)
    this.#outputCapTokens = outputCapTokens
    this.#settler = settler
    this.#isPinned = task.passage !== undefined
    this.#pings = setInterval(() => this.#ping(), dependencies.timers.pingMs)
  }

  /** Whether all that may be generated was, and the backend has not told its usage yet. */
  get awaitsUsage(): boolean {
    const { isFinished, deltas, reported, isUsageStale } = this.rewriter
    const isComplete = isFinished || deltas >= this.#outputCapTokens
    return isComplete && (reported === undefined || isUsageStale)
  }

  async run(): Promise<HopEnd> {
    const end = await this.hop.run()
    clearInterval(this.#pings)
    return end
  }

  /** Sends the head, which waits for the first event or ping, so that an early failure keeps its own status. */
  startAnswer(): void {
    if (!this.hop.client.isStarted) this.hop.client.start(STREAM_HEADERS)
  }

  onHead({ contentType }: AnswerHead): void {
    if (!contentType.toLowerCase().startsWith('text/event-stream')) throw unusableError()
  }

  onBytes(bytes: Buffer): void {
    const events = this.rewriter.read(bytes)
    if (events.length > 0) this.#deliver(events)
    const { fault, isDone } = this.rewriter
    if (fault !== undefined) throw this.#errorFor(fault)
    if (isDone || (this.hop.client.isGone && !this.awaitsUsage)) this.hop.end({ kind: 'done' })
  }

  onBytesEnd(): void {
    this.rewriter.end()
    if (!this.rewriter.isDone) throw unavailableError()
    this.hop.end({ kind: 'done' })
  }

  #deliver(events: Buffer): void {
    this.startAnswer()
    if (this.hop.client.isGone) return
    const goesOn = this.hop.client.write(events)
    const { tokens } = this.rewriter
    if (tokens > this.deliveredTokens) {
      clearInterval(this.#pings)
      this.deliveredTokens = tokens
      this.#settler.delivered(tokens)
    }
    if (!goesOn) this.hop.awaitReader()
  }

  #ping(): void {
    if (this.hop.isRefused || this.hop.client.isFull) return
    // While it waits for an upstream's new certificate nothing is sent, and a refusal keeps its own status.
    if (this.#isPinned && !this.hop.isSent) return
    this.startAnswer()
    this.hop.client.write(PING)
  }

  /** An error that is the first thing said may still be a refusal: SGLang and vLLM refuse within a stream. */
  #errorFor(fault: StreamFault): ApiError {
    if (fault.kind !== 'error' || this.hop.client.isStarted) return unusableError()
    const code = isObject(fault.body) && isObject(fault.body.error) ? Number(fault.body.error.code) : 0
    if (code !== 400 && code !== 422) return unusableError()
    return this.hop.errorFor({ status: code, retryAfter: undefined, body: fault.body })
  }
}
