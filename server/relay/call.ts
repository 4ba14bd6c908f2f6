import type { Dispatcher } from 'undici'
import { type AnswerHead, Attempt, type AttemptEvents, isRefusedFor } from './attempt.ts'
import type { Backend, BackendRequest, CallAccount, Destination } from './backend.ts'
import type { Selection } from './selection.ts'

/** What a call tells its owner. After `onEnd`, `onFailure` or `abort` nothing more is told. */
export interface CallEvents {
  /** The first byte of the request is about to leave. */
  onSent(): void
  onHead(head: AnswerHead): void
  onData(bytes: Buffer): void
  onEnd(): void
  /** The connection did not come about or was lost; it is never tried again once a byte was sent. */
  onFailure(cause: Error): void
}

/** Bytes and milliseconds in which an answer that is over may still end properly, so that its socket is kept (ours). */
const TAIL_BYTES = 65_536
const TAIL_MS = 1_000

/** One request on its way to one of a model's backends, or to its one destination. */
export class Call {
  /** What is, or was last, tried. */
  destination: Destination | undefined
  /** Whether any byte of the request was written to a socket. */
  isSent = false
  readonly #to: Selection | Destination
  readonly #requestFor: (destination: Destination) => BackendRequest
  #events: CallEvents | undefined
  #account: CallAccount | undefined
  readonly #tried = new Set<Backend>()
  #state: 'running' | 'tail' | 'over' = 'running'
  #hasGoneElsewhere = false
  #controller: Dispatcher.DispatchController | undefined
  #tailBytes = 0
  #tailTimer: NodeJS.Timeout | undefined

  constructor(to: Selection | Destination, requestFor: (destination: Destination) => BackendRequest) {
    this.#to = to
    this.#requestFor = requestFor
  }

  /** Tries its one destination, or the model's backends one after the other until one takes the request. */
  start(events: CallEvents): void {
    this.#events = events
    if ('dispatch' in this.#to) this.#send(this.#to)
    else if (!this.#goesOn(this.#to.pick(this.#tried))) this.#fail(new Error('The model has no backend.'))
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  /** Closes the socket at once, so that the backend stops (M-10). */
  abort(): void {
    if (this.#state === 'over') return
    this.#over()
    this.#controller?.abort(new Error('The relay has ended this call.'))
  }

  /** What was called has said nothing for too long. */
  fellSilent(): void {
    if (this.#account !== undefined) this.#account.tally.failures.silent++
  }

  /** The answer is complete: the little that may follow is read and thrown away, so that the socket can serve again. */
  finish(): void {
    if (this.#state !== 'running') return
    this.#state = 'tail'
    this.#tailTimer = setTimeout(() => this.abort(), TAIL_MS).unref()
    this.resume()
  }

  /** Whether there is a backend to try. */
  #goesOn(backend: Backend | undefined): boolean {
    if (backend === undefined) return false
    this.#tried.add(backend)
    this.#send(backend, backend)
    return true
  }

  #send(destination: Destination, account?: CallAccount): void {
    this.destination = destination
    this.#account = account
    this.isSent = false
    if (account !== undefined) account.running++
    try {
      destination.dispatch(this.#requestFor(destination), new Attempt(account, this.#attemptEvents(account)))
    } catch (thrown) {
      if (account !== undefined) account.running--
      this.#fail(thrown as Error)
    }
  }

  #attemptEvents(account: CallAccount | undefined): AttemptEvents {
    return {
      onSending: (controller) => {
        this.#controller = controller
        if (this.#state === 'over') return false
        this.isSent = true
        this.#events?.onSent()
        return true
      },
      onHead: (head) => {
        if (this.#state !== 'running') return true
        if (this.#goesElsewhere(head)) return false
        this.#events?.onHead(head)
        return true
      },
      onData: (bytes) => {
        if (this.#state === 'running') this.#events?.onData(bytes)
        else if (this.#state === 'tail') this.#throwAway(bytes)
      },
      onEnd: () => {
        const wasRunning = this.#state === 'running'
        this.#over()
        if (wasRunning) this.#events?.onEnd()
      },
      onLost: (cause, isSent) => this.#lost(account, isSent, cause),
    }
  }

  /**
   * A backend that says at the head of its answer that it cannot serve now has generated nothing: the request goes on to
   * another one, once (RLAY-15). Any other answer, and any other loss of what was sent, is final.
   */
  #goesElsewhere({ status }: AnswerHead): boolean {
    if (!isRefusedFor(status) || this.#hasGoneElsewhere || 'dispatch' in this.#to) return false
    const next = this.#to.pickRested(this.#tried)
    this.#hasGoneElsewhere = next !== undefined
    return this.#goesOn(next)
  }

  #lost(account: CallAccount | undefined, isSent: boolean, cause: Error): void {
    const wasRunning = this.#state === 'running'
    if (wasRunning && account !== undefined) {
      account.tally.failures[isSent ? 'lost' : 'unreachable']++
      if (!isSent) account.health.failed()
    }
    if (wasRunning && !isSent && 'pick' in this.#to && this.#goesOn(this.#to.pick(this.#tried))) return
    this.#over()
    if (wasRunning) this.#events?.onFailure(cause)
  }

  #fail(cause: Error): void {
    this.#over()
    this.#events?.onFailure(cause)
  }

  #throwAway(bytes: Buffer): void {
    this.#tailBytes += bytes.length
    if (this.#tailBytes > TAIL_BYTES) this.abort()
  }

  #over(): void {
    this.#state = 'over'
    clearTimeout(this.#tailTimer)
  }
}
