import type { Dispatcher } from 'undici'
import { isDelimited } from '#egress/connection/delimited.ts'
import type { CallAccount } from './backend.ts'
import { parseRetryAfter } from './retry-after.ts'

/** The parts of an answer's head that the relay uses; no header of a backend reaches a client (HDR-12). */
export interface AnswerHead {
  readonly status: number
  readonly contentType: string
  readonly retryAfter: string | undefined
  /** Whether it tells where its body ends; else the end of the connection does. */
  readonly hasLength: boolean
}

/** What an attempt tells its call. */
export interface AttemptEvents {
  /** A connection is there; false: the request may not be written to it. */
  onSending(controller: Dispatcher.DispatchController): boolean
  /** False: the call goes elsewhere and wants nothing more of this answer. */
  onHead(head: AnswerHead): boolean
  onData(bytes: Buffer): void
  onEnd(): void
  /** The connection did not come about (`isSent` false) or was lost. */
  onLost(cause: Error, isSent: boolean): void
}

type Controller = Dispatcher.DispatchController

/** Statuses of a server, or of a proxy before it, that cannot serve now and has generated nothing (RLAY-15). */
const refusals = new Set([429, 502, 503, 504])

/** Whether a backend's status asks to be left alone for a while. */
export function isRefusedFor(status: number): boolean {
  return refusals.has(status)
}

/** One request at one destination: enters its result in an account, and tells its events to a call until it is forgotten. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #account: CallAccount | undefined
  readonly #events: AttemptEvents
  #isSent = false
  #isForgotten = false

  constructor(account: CallAccount | undefined, events: AttemptEvents) {
    this.#account = account
    this.#events = events
  }

  onRequestStart(controller: Controller): void {
    // Aborted before a byte was written, or about to be written a second time: neither may happen.
    if (this.#isSent || !this.#events.onSending(controller)) {
      controller.abort(new Error('The relay does not send this request.'))
      return
    }
    this.#isSent = true
    if (this.#account === undefined) return
    this.#account.tally.requests++
    this.#account.health.connected()
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.#isForgotten) return
    const contentType = String(headers['content-type'] ?? '')
    const retryAfter = headers['retry-after'] === undefined ? undefined : String(headers['retry-after'])
    const hasLength = isDelimited(headers)
    this.#learn(status, retryAfter)
    if (this.#events.onHead({ status, contentType, retryAfter, hasLength })) return
    this.#isForgotten = true
    controller.abort(new Error('The relay asks another backend.'))
  }

  onResponseData(_: Controller, bytes: Buffer): void {
    if (!this.#isForgotten) this.#events.onData(bytes)
  }

  onResponseEnd(): void {
    this.#over()
    if (!this.#isForgotten) this.#events.onEnd()
  }

  onResponseError(_: Controller, cause: Error): void {
    this.#over()
    if (!this.#isForgotten) this.#events.onLost(cause, this.#isSent)
  }

  #learn(status: number, retryAfter: string | undefined): void {
    if (this.#account === undefined) return
    const { health, tally } = this.#account
    if (isRefusedFor(status)) {
      tally.failures.refused++
      health.refused(parseRetryAfter(retryAfter, Date.now()))
    } else {
      if (isOwnFailure(status)) tally.failures.failed++
      health.answered()
    }
  }

  #over(): void {
    if (this.#account !== undefined) this.#account.running--
  }
}

/** What is neither an answer nor a client's mistake. */
function isOwnFailure(status: number): boolean {
  return status !== 200 && status !== 400 && status !== 413 && status !== 422
}
