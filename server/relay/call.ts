import type { Dispatcher } from 'undici'
import { type AnswerHead, Attempt, type AttemptEvents, isRefusedFor } from './attempt.ts'
import type { Backend, BackendRequest } from './backend.ts'
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

/** One request on its way to one of a model's backends. */
export class Call {
  /** The backend that is, or was last, tried. */
  backend: Backend | undefined
  /** Whether any byte of the request was written to a socket. */
  isSent = false
  readonly #selection: Selection
  readonly #requestFor: (backend: Backend) => BackendRequest
  readonly #events: CallEvents
  readonly #tried = new Set<Backend>()
  #state: 'running' | 'tail' | 'over' = 'running'
  #hasGoneElsewhere = false
  #controller: Dispatcher.DispatchController | undefined
  #tailBytes = 0
  #tailTimer: NodeJS.Timeout | undefined

  constructor(selection: Selection, requestFor: (backend: Backend) => BackendRequest, events: CallEvents) {
    this.#selection = selection
    this.#requestFor = requestFor
    this.#events = events
  }

  /** Tries the model's backends one after the other until one takes the request. */
  start(): void {
    const backend = this.#selection.pick(this.#tried)
    if (backend === undefined) this.#fail(new Error('The model has no backend.'))
    else this.#try(backend)
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
    if (this.#controller === undefined) this.backend?.abandon?.()
  }

  /** The answer is complete: the little that may follow is read and thrown away, so that the socket can serve again. */
  finish(): void {
    if (this.#state !== 'running') return
    this.#state = 'tail'
    this.#tailTimer = setTimeout(() => this.abort(), TAIL_MS).unref()
    this.resume()
  }

  #try(backend: Backend): void {
    this.backend = backend
    this.isSent = false
    this.#tried.add(backend)
    backend.running++
    try {
      backend.dispatch(this.#requestFor(backend), new Attempt(backend, this.#attemptEvents(backend)))
    } catch (thrown) {
      backend.running--
      this.#fail(thrown as Error)
    }
  }

  #attemptEvents(backend: Backend): AttemptEvents {
    return {
      onSending: (controller) => {
        this.#controller = controller
        if (this.#state === 'over') return false
        this.isSent = true
        this.#events.onSent()
        return true
      },
      onHead: (head) => {
        if (this.#state !== 'running') return true
        if (this.#goesElsewhere(head)) return false
        this.#events.onHead(head)
        return true
      },
      onData: (bytes) => {
        if (this.#state === 'running') this.#events.onData(bytes)
        else if (this.#state === 'tail') this.#throwAway(bytes)
      },
      onEnd: () => {
        const wasRunning = this.#state === 'running'
        this.#over()
        if (wasRunning) this.#events.onEnd()
      },
      onLost: (cause, isSent) => this.#lost(backend, isSent, cause),
    }
  }

  /**
   * A backend that says at the head of its answer that it cannot serve now has generated nothing: the request goes on to
   * another one, once (RLAY-15). Any other answer, and any other loss of what was sent, is final.
   */
  #goesElsewhere({ status }: AnswerHead): boolean {
    if (!isRefusedFor(status) || this.#hasGoneElsewhere) return false
    const next = this.#selection.pickRested(this.#tried)
    if (next === undefined) return false
    this.#hasGoneElsewhere = true
    this.#try(next)
    return true
  }

  #lost(backend: Backend, isSent: boolean, cause: Error): void {
    const wasRunning = this.#state === 'running'
    if (!isSent && wasRunning) {
      backend.health.failed()
      backend.tally.failures.unreachable++
      const next = this.#selection.pick(this.#tried)
      if (next !== undefined) {
        this.#try(next)
        return
      }
    } else if (wasRunning) backend.tally.failures.lost++
    this.#over()
    if (wasRunning) this.#events.onFailure(cause)
  }

  #fail(cause: Error): void {
    this.#over()
    this.#events.onFailure(cause)
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
