import type { Dispatcher } from 'undici'
import type { Backend, BackendRequest } from './backend.ts'
import type { Selection } from './selection.ts'

/** The parts of an answer's head that the relay uses; no header of a backend reaches a client (decisions, 5). */
export interface AnswerHead {
  readonly status: number
  readonly contentType: string
  readonly retryAfter: string | undefined
  /** Whether it tells where its body ends; else the end of the connection does. */
  readonly hasLength: boolean
}

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

/** Bytes and milliseconds in which an answer that is over may still end properly, so that its socket is kept. */
const TAIL_BYTES = 65_536
const TAIL_MS = 1_000

type Controller = Dispatcher.DispatchController

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
  #controller: Controller | undefined
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
    this.#tried.add(backend)
    backend.running++
    try {
      backend.dispatch(this.#requestFor(backend), this.#handlerFor(backend))
    } catch (thrown) {
      backend.running--
      this.#fail(thrown as Error)
    }
  }

  #handlerFor(backend: Backend): Dispatcher.DispatchHandler {
    let isSent = false
    return {
      onRequestStart: (controller) => {
        this.#controller = controller
        // Aborted before a byte was written, or about to be written a second time: neither may happen.
        if (this.#state === 'over' || isSent) {
          controller.abort(new Error('The relay does not send this request.'))
          return
        }
        isSent = true
        this.isSent = true
        backend.health.connected()
        this.#events.onSent()
      },
      onResponseStart: (_, status, headers) => {
        if (status < 200 || this.#state !== 'running') return
        const contentType = String(headers['content-type'] ?? '')
        const retryAfter = headers['retry-after']
        const hasLength = 'content-length' in headers || 'transfer-encoding' in headers
        this.#events.onHead({ status, contentType, retryAfter: retryAfter && String(retryAfter), hasLength })
      },
      onResponseData: (_, bytes) => {
        if (this.#state === 'running') this.#events.onData(bytes)
        else if (this.#state === 'tail') this.#throwAway(bytes)
      },
      onResponseEnd: () => {
        backend.running--
        const wasRunning = this.#state === 'running'
        this.#over()
        if (wasRunning) this.#events.onEnd()
      },
      onResponseError: (_, cause) => {
        backend.running--
        this.#lost(backend, isSent, cause)
      },
    }
  }

  #lost(backend: Backend, isSent: boolean, cause: Error): void {
    const wasRunning = this.#state === 'running'
    if (!isSent && wasRunning) {
      backend.health.failed()
      const next = this.#selection.pick(this.#tried)
      if (next !== undefined) {
        this.#try(next)
        return
      }
    }
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
