import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Dispatcher, errors } from 'undici'
import type { Admittance, Outgoing } from '#egress/dispatch/pinned.ts'
import { Refused } from '#egress/refused.ts'
import type { Patience } from '#egress/verdict/doubts.ts'
import type { Admitted } from '#egress/verdict/verdict.ts'
import type { AnswerRecord } from '../journal/answered.ts'
import { RawHeaders } from '../raw-headers.ts'
import { malformed, type Refusal, refusalOf, unavailable, unusable } from '../refusal.ts'
import type { Ending } from '../tally.ts'
import { Answer } from './answer.ts'
import { hasBody, hasSmallBody, RequestBody, takeWhole } from './body.ts'
import { requestHeaders } from './headers.ts'
import type { Route } from './route.ts'

type Controller = Dispatcher.DispatchController

/** One request on its way to the endpoint, and its answer on the way back. */
export class Exchange implements Dispatcher.DispatchHandler, Outgoing {
  readonly #request: IncomingMessage
  readonly #answer: Answer
  readonly #route: Route
  #controller: Controller | undefined
  /** The verdict that the request goes under; its certificate is the only one that may be sent anything. */
  #verdict: Admitted | undefined
  #record: AnswerRecord | undefined
  /** A small body, until it is sent: a second try sends it as well. */
  #body: Buffer | undefined
  #isSent = false
  readonly #left = new AbortController()
  /** It waits for a verdict, or for a new certificate to be signed for, until its client leaves. */
  readonly patience: Patience
  #isOver = false

  constructor(request: IncomingMessage, response: ServerResponse, route: Route) {
    this.#request = request
    this.#route = route
    this.patience = { since: route.attested.now, signal: this.#left.signal }
    this.#answer = new Answer(request, response, route.origins, {
      onThrown: (error) => route.onThrown(error),
      onGone: () => this.#abort(),
      onDrain: () => this.#controller?.resume(),
    })
  }

  start(): void {
    this.#route.tally.begin()
    // By the next turn it is parsed, if it came with its head: one piece is sent with less ado than a stream of them.
    if (hasSmallBody(this.#request)) setImmediate(() => this.#begin())
    else this.#begin()
  }

  #begin(): void {
    if (this.#isOver) return
    const admittance = this.#route.attested.admit()
    if (admittance === undefined) void this.#awaitAdmittance()
    else this.#send(admittance)
  }

  /** What is sent: the client's own request, for the endpoint's host. */
  compose(verdict: Admitted): Dispatcher.DispatchOptions {
    const request = this.#request
    const { authority, basePath } = this.#route
    this.#verdict = verdict
    this.#body ??= takeWhole(request)
    return {
      method: request.method as Dispatcher.HttpMethod,
      path: basePath + request.url,
      headers: requestHeaders(new RawHeaders(request.rawHeaders), authority),
      body: this.#body ?? (hasBody(request) ? new RequestBody(request) : null),
    }
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    // Given up before a byte was written.
    if (this.#isOver) {
      controller.abort(new Error('This request is not to be sent.'))
      return
    }
    this.#isSent = true
    this.#body = undefined
    this.#route.tally.send()
  }

  onResponseStart(controller: Controller, status: number, _: unknown, statusText?: string): void {
    if (status < 200 || this.#isOver) return
    const headers = RawHeaders.of(controller.rawHeaders as Buffer[])
    // undici would keep them, and the piece of memory they came in, as long as the answer runs.
    controller.rawHeaders = null
    this.#record = this.#route.recorder.answer(headers, this.#verdict!)
    this.#answer.start(status, statusText, headers)
  }

  onResponseData(controller: Controller, bytes: Buffer): void {
    if (this.#isOver) return
    this.#record?.see(bytes)
    if (!this.#answer.write(bytes)) controller.pause()
    if (this.#answer.isOversize) this.#giveUp(unusable())
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    const { isCutShort } = this.#answer
    this.#end(isCutShort ? 'backend_unavailable' : 'answered', !isCutShort)
    this.#answer.end()
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isOver) return
    if (error instanceof Refused) this.#fail(refusalOf(error))
    else if (error instanceof errors.InvalidArgumentError) this.#fail(malformed())
    else this.#fail(unavailable(this.#isSent))
  }

  async #awaitAdmittance(): Promise<void> {
    try {
      const admittance = await this.#route.attested.awaitAdmittance(this.patience)
      if (!this.#isOver) this.#send(admittance)
    } catch (thrown) {
      // Nobody else would hear of what is thrown on the way to a verdict, and the client would wait.
      if (!(thrown instanceof Refused)) this.#route.onThrown(thrown)
      this.onResponseError(undefined, thrown as Error)
    }
  }

  #send(admittance: Admittance): void {
    this.#route.attested.dispatch(admittance, this, this)
  }

  /** The endpoint's answer cannot be passed on, and no more of it is taken. */
  #giveUp(refusal: Refusal): void {
    this.#fail(refusal)
    this.#controller?.abort(new Error(refusal.message))
  }

  #fail(refusal: Refusal): void {
    if (this.#isOver) return
    this.#end(refusal.code, false)
    this.#route.recorder.refused(refusal)
    this.#answer.fail(refusal)
  }

  /** The client has left: the endpoint's connection is closed at once, so that it stops (M-10). */
  #abort(): void {
    if (this.#isOver) return
    this.#end('left', false)
    this.#left.abort()
    this.#controller?.abort(new Error('The client has left.'))
  }

  #end(ending: Ending, isComplete: boolean): void {
    this.#isOver = true
    this.#record?.end(isComplete)
    this.#route.tally.end(ending, this.#isSent)
  }
}
