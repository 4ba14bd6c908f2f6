import { ApiError, asApiError } from '../errors.ts'
import { type AnswerHead, isRefusedFor } from './attempt.ts'
import type { Destination } from './backend.ts'
import { Call, type CallEvents } from './call.ts'
import type { Client } from './client.ts'
import type { RelayDependencies } from './dependencies.ts'
import type { Drains } from './drains.ts'
import type { HopEnd } from './hop-end.ts'
import { causeOf } from './observation.ts'
import { QuietWatch } from './quiet.ts'
import { RefusalReader } from './refusal-reader.ts'
import { type BackendRefusal, refusalError, unavailableError } from './refusals.ts'
import { backendBody } from './request.ts'
import { idsOf, type RelayLog } from './settler.ts'
import { onceAborted } from './stop-signal.ts'
import type { RelayTask } from './task.ts'

/** What becomes of a backend's answer; knows nothing of the hop. A throw of any of these ends the hop as failed. */
export interface Sink {
  readonly accept: 'application/json' | 'text/event-stream'
  /** The head of a 200, and who gives it. */
  onHead(head: AnswerHead, from: Destination): void
  /** `wait`: the client has to take what was written first. `done`: the answer is complete. */
  onBytes(bytes: Buffer): 'more' | 'wait' | 'done'
  /** The body is complete; throws where the answer is not. */
  onBytesEnd(): void
  /** Whether all was generated, and only what the backend says of its usage is still to come. */
  readonly awaitsUsage?: boolean
  /** Whether the answer is complete, as far as it tells by itself where it ends. */
  isWhole?(): boolean
}

/** Silence after which an answer without a length is looked at: some backends never close what they say they will (ours). */
const OPEN_ENDED_MS = 1_000

/** How long a backend that refuses may take over its reasons; its status has said what matters (RLAY-17). */
const REASONS_MS = 2_000

/** One call between a client and a backend: it has exactly one end, and after it neither timer nor call is left. */
export class Hop implements CallEvents {
  readonly client: Client
  readonly #task: RelayTask
  readonly #call: Call
  readonly #quiet: QuietWatch
  readonly #sink: Sink
  readonly #log: RelayLog
  readonly #ended: Promise<HopEnd>
  #resolve: (end: HopEnd) => void = () => {}
  readonly #forgetSignals: (() => void)[] = []
  #refusal: RefusalReader | undefined
  #unservedBy: 'connection' | 'refusal' | undefined
  #isOver = false
  #isOpenEnded = false
  #silence: NodeJS.Timeout | undefined
  /** How the hop ends once the backend was read on. */
  #left: HopEnd | undefined
  #drain: (() => void) | undefined
  readonly #drains: Drains
  #calledAtMs = 0
  #endedAtMs = 0

  constructor(
    task: RelayTask,
    { timers, selectionOf, drains, log }: RelayDependencies,
    client: Client,
    sink: Sink,
  ) {
    this.client = client
    this.#task = task
    this.#log = log
    this.#drains = drains
    this.#sink = sink
    this.#ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    const streamed = sink.accept === 'text/event-stream'
    this.#call = new Call(task.passage ?? selectionOf(task.generation.model), ({ name, config }) => ({
      path: task.path,
      body: backendBody(task.body.object, task.additions, config, streamed),
      accept: sink.accept,
      traceparent: task.spans?.calling(task.generation, { name, ...config }),
    }))
    this.#quiet = new QuietWatch(timers)
    // One that waits for its upstream's certificate waits for no byte of a backend: that has a bound of its own.
    if (task.passage) this.#quiet.hold()
  }

  /** What is, or was last, called. */
  get destination(): Destination | undefined {
    return this.#call.destination
  }

  /** Whether a byte of the request has left for a backend. */
  get isSent(): boolean {
    return this.#call.isSent
  }

  /** Whether a backend may have worked on the request: it was sent, and not refused. */
  get isWorkedOn(): boolean {
    return this.isSent && !this.isRefused
  }

  /** Milliseconds that the call to the backend has taken; 0 when none was made. */
  get backendMs(): number {
    return this.#calledAtMs === 0 ? 0 : this.#endedAtMs - this.#calledAtMs
  }

  /** Whether it ended because no backend could be reached, or would serve now: nothing was generated. */
  get isUnserved(): boolean {
    return this.#unservedBy === 'connection' ? !this.isSent : this.#unservedBy === 'refusal'
  }

  /** Whether the backend refused and its reasons are being read. */
  get isRefused(): boolean {
    return this.#refusal !== undefined
  }

  /** Calls the backend; resolves with the one end and never rejects. */
  run(): Promise<HopEnd> {
    const { signal, passage } = this.#task
    this.client.watch({
      onGone: (isStalled) => this.#leave({ kind: 'gone', isStalled }),
      onDrain: () => this.#goOn(),
    })
    this.#quiet.start(() => {
      this.#call.fellSilent()
      this.#fail(unavailableError())
    })
    if (this.client.isGone) this.#end({ kind: 'gone', isStalled: false })
    if (signal) this.#stopOn(signal, () => asApiError(signal.reason))
    if (passage) this.#stopOn(passage.signal, () => passage.withdrawalError(this.isSent))
    if (!this.#isOver) {
      this.#calledAtMs = performance.now()
      this.#call.start(this)
    }
    return this.#ended
  }

  /**
   * Ends the hop unless it has ended; once the client has left, that is how it ended. A complete answer's socket is kept,
   * any other's is closed at once.
   */
  #end(end: HopEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#drain?.()
    this.#endedAtMs = performance.now()
    this.#quiet.stop()
    clearTimeout(this.#silence)
    for (const forget of this.#forgetSignals) forget()
    if (end.kind === 'done') this.#call.finish()
    else {
      this.#call.abort()
      if (!this.isSent) this.#task.passage?.abandon()
    }
    const final = this.#left ?? end
    this.#task.spans?.called(final.kind === 'done' ? undefined : causeOf(final))
    this.#resolve(final)
  }

  /**
   * The client has left. A backend that has generated all of its answer is read on for a moment, for its usage: who
   * leaves after the last word pays for all of them (MET-14). Any other is stopped at once (M-10).
   */
  #leave(end: HopEnd): void {
    if (this.#isOver || this.#left !== undefined) return
    const forget = this.#sink.awaitsUsage ? this.#drains.begin(() => this.#end(end)) : undefined
    if (forget === undefined) {
      this.#end(end)
      return
    }
    this.#left = end
    this.#drain = forget
    this.#quiet.hold()
    this.#call.resume()
  }

  onSent(): void {
    if (this.#task.passage) this.#quiet.release()
  }

  onHead(head: AnswerHead): void {
    // Another model may have to be sent the same.
    if (head.status === 200 || !this.#task.fallbacks?.length) this.#task.body.letGo()
    if (head.status !== 200) this.#awaitReasons(new RefusalReader(head.status, head.retryAfter))
    else this.#guard(() => this.#sink.onHead(head, this.#call.destination!))
    this.#isOpenEnded = !head.hasLength && this.#sink.isWhole !== undefined
    if (isRefusedFor(head.status)) this.#unservedBy = 'refusal'
  }

  onData(bytes: Buffer): void {
    this.#quiet.heard()
    if (this.#refusal === undefined) this.#guard(() => this.#take(bytes))
    else if (!this.#refusal.read(bytes)) this.#refuse(this.#refusal.refusal())
  }

  onEnd(): void {
    if (this.#refusal !== undefined) this.#refuse(this.#refusal.refusal())
    else
      this.#guard(() => {
        this.#sink.onBytesEnd()
        this.#end({ kind: 'done' })
      })
  }

  onFailure(cause: Error): void {
    if (cause instanceof ApiError) this.#fail(cause)
    else if (this.#refusal === undefined) {
      this.#unservedBy = 'connection'
      this.#fail(unavailableError({ cause }))
    } else this.#refuse(this.#refusal.refusal())
  }

  #awaitReasons(refusal: RefusalReader): void {
    this.#refusal = refusal
    // From here on its reasons have a time of their own, and silence in their midst makes no other error of them.
    this.#quiet.hold()
    this.#silence = setTimeout(() => this.#refuse(refusal.refusal()), REASONS_MS)
  }

  #take(bytes: Buffer): void {
    const taken = this.#sink.onBytes(bytes)
    if (taken === 'done') this.#end({ kind: 'done' })
    else if (taken === 'wait') {
      this.#call.pause()
      this.#quiet.hold()
    }
    if (!this.#isOpenEnded || this.#isOver) return
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#guard(() => this.#endIfWhole()), OPEN_ENDED_MS)
  }

  /** What is not whole yet may still come. */
  #endIfWhole(): void {
    if (this.#sink.isWhole?.()) this.#end({ kind: 'done' })
  }

  #goOn(): void {
    if (this.#isOver) return
    this.#quiet.release()
    this.#call.resume()
  }

  /** Fails with what a backend said instead of an answer. */
  #refuse(refusal: BackendRefusal): void {
    this.#fail(refusalError(refusal, this.#task.generation.operation, this.#call.destination!.config))
  }

  /** What a backend says of a client's mistake is the client's alone; all other failures are the operator's too. */
  #fail(error: ApiError): void {
    if (this.#isOver) return
    if (error.status >= 500) {
      this.#log.warn('a backend failed', { ...idsOf(this.#task.generation), error: error.cause ?? error })
    }
    this.#end({ kind: 'failed', error })
  }

  #guard(act: () => void): void {
    try {
      act()
    } catch (thrown) {
      this.#fail(asApiError(thrown))
    }
  }

  #stopOn(signal: AbortSignal, errorOf: () => ApiError): void {
    if (this.#isOver) return
    const stop = () => this.#end({ kind: 'stopped', error: errorOf() })
    this.#forgetSignals.push(onceAborted(signal, stop))
    if (signal.aborted) stop()
  }
}
