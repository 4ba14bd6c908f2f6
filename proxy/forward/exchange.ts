import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Dispatcher, errors } from 'undici'
import { AttestationError } from '#attestation'
import type { Moment } from '#egress/clock.ts'
import { Withdrawn } from '#egress/connection/withdrawn.ts'
import { MAX_MISMATCHES } from '#egress/verdict/doubts.ts'
import type { Admitted, Verdict } from '#egress/verdict/verdict.ts'
import type { Ending } from '../admin/tally.ts'
import type { AnswerRecord } from '../journal/answered.ts'
import {
  attestationFailed,
  attestationRevoked,
  malformed,
  type Refusal,
  unavailable,
  unusable,
} from '../refusal.ts'
import { Answer } from './answer.ts'
import { hasBody, RequestBody } from './body.ts'
import { requestHeaders } from './headers.ts'
import type { Route } from './route.ts'

type Controller = Dispatcher.DispatchController

/** One request on its way to the endpoint, and its answer on the way back. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: IncomingMessage
  readonly #answer: Answer
  readonly #route: Route
  #controller: Controller | undefined
  /** The verdict that the request goes under; its certificate is the only one that may be sent anything. */
  #verdict: Admitted | undefined
  #record: AnswerRecord | undefined
  #isSent = false
  /** What is sent of the client's body. Each try reads it anew, and one that came to nothing must not go on reading. */
  #body: RequestBody | undefined
  /** Connections that showed another certificate than the verdict names. */
  #mismatches = 0
  readonly #arrived: Moment
  /** Present while it waits for the first verdict, or for a new certificate to be signed for. */
  #waiting: AbortController | undefined
  #isOver = false

  constructor(request: IncomingMessage, response: ServerResponse, route: Route) {
    this.#request = request
    this.#route = route
    this.#arrived = route.attestor.now
    this.#answer = new Answer(request, response, route.origins, {
      onThrown: (error) => route.onThrown(error),
      onGone: () => this.#abort(),
      onDrain: () => this.#controller?.resume(),
    })
  }

  start(): void {
    const { attestor, tally } = this.#route
    tally.begin()
    const verdict = attestor.look()
    if (verdict.state === 'admitted') this.#send(verdict)
    else this.#awaitVerdict().catch(this.#onThrown)
  }

  async #awaitVerdict(): Promise<void> {
    this.#waiting = new AbortController()
    const verdict = await this.#route.attestor.awaitVerdict({
      since: this.#arrived,
      signal: this.#waiting.signal,
    })
    this.#waiting = undefined
    this.#goUnder(verdict)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    // Given up before a byte was written, or about to be written a second time: neither may happen.
    if (this.#isOver || this.#isSent) {
      controller.abort(new Error('This request is not to be sent.'))
      return
    }
    this.#isSent = true
    this.#route.tally.send()
  }

  onResponseStart(controller: Controller, status: number, _: unknown, statusText?: string): void {
    if (status < 200 || this.#isOver) return
    const headers = (controller.rawHeaders as Buffer[]).map((bytes) => bytes.toString('latin1'))
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
    if (error instanceof Withdrawn) this.#fail(this.#withdrawalOf(error))
    else if (error instanceof AttestationError && !this.#isSent) this.#heal(error).catch(this.#onThrown)
    else if (error instanceof errors.InvalidArgumentError) this.#fail(malformed())
    else this.#fail(unavailable(this.#isSent))
  }

  /** Nobody else would hear of what is thrown on the way to a verdict, and the client would wait. */
  readonly #onThrown = (error: unknown): void => {
    this.#route.onThrown(error)
    this.#fail(unavailable(this.#isSent))
  }

  #goUnder(verdict: Verdict): void {
    if (this.#isOver) return
    if (verdict.state === 'admitted') this.#send(verdict)
    else this.#fail(attestationFailed(verdict.ground))
  }

  #send(verdict: Admitted): void {
    const request = this.#request
    const { pools, authority, basePath } = this.#route
    this.#verdict = verdict
    this.#body = hasBody(request) ? new RequestBody(request) : undefined
    pools.of(verdict.admission.certFingerprint).dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path: basePath + request.url,
        headers: requestHeaders(request.rawHeaders, authority),
        body: this.#body ?? null,
      },
      this,
    )
  }

  /**
   * Another certificate was shown, and nothing was sent: it waits, for fifteen seconds from its arrival, until the
   * endpoint is known to show that one, and goes on once.
   */
  async #heal(error: AttestationError): Promise<void> {
    const { attestor, onRefusedLeaf } = this.#route
    const doubted = this.#verdict!
    this.#body?.destroy()
    this.#mismatches += 1
    if (this.#mismatches === 1) onRefusedLeaf(doubted)
    if (this.#mismatches > MAX_MISMATCHES) return this.#refuseLeaf(error)
    this.#waiting = new AbortController()
    const patience = { since: this.#arrived, signal: this.#waiting.signal }
    const verdict = await attestor.awaitRenewal(doubted, patience)
    this.#waiting = undefined
    if (verdict === undefined) this.#refuseLeaf(error)
    else this.#goUnder(verdict)
  }

  /** The verdict stands, or somebody would have said otherwise: it may know of the certificate by the next try. */
  #refuseLeaf(error: AttestationError): void {
    const isRenewing = this.#route.attestor.verdict.state === 'admitted'
    this.#fail(attestationFailed(error, { isRenewing }))
  }

  /** The endpoint's answer cannot be passed on, and no more of it is taken. */
  #giveUp(refusal: Refusal): void {
    this.#fail(refusal)
    this.#controller?.abort(new Error(refusal.message))
  }

  #withdrawalOf({ ground }: Withdrawn): Refusal {
    return this.#isSent ? attestationRevoked(ground) : attestationFailed(ground)
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
    this.#waiting?.abort()
    this.#controller?.abort(new Error('The client has left.'))
  }

  #end(ending: Ending, isComplete: boolean): void {
    this.#isOver = true
    this.#record?.end(isComplete)
    this.#route.tally.end(ending, this.#isSent)
  }
}
