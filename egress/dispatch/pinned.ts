import { Readable } from 'node:stream'
import type { buildConnector, Dispatcher } from 'undici'
import { AttestationError, type Digest } from '#attestation'
import { limits } from '#contract/limits'
import { type DialOptions, dial, discard } from '../connection/dial.ts'
import type { Target } from '../connection/target.ts'
import { Refused, Withdrawn } from '../refused.ts'
import { MAX_MISMATCHES, type Patience } from '../verdict/doubts.ts'
import { type Admitted, unjudged, type Verdict } from '../verdict/verdict.ts'

/*
 * The rule that everything else here serves: a request, and the key in it, is written to no connection but one that
 * shows the certificate of the live verdict that it goes under.
 *
 * - On every new connection the certificate is compared before anybody has the socket (CONN-01); `dial.ts` offers no
 *   session, so that there is no connection without one (CONN-03). That is `createConnector`.
 * - Each certificate has sockets of its own (CONN-04): `pools.ts`, which makes them with that connector alone.
 * - A request brings the certificate that it expects, as part of its verdict; there is no way to send it without one,
 *   nor once the verdict has ended (CONN-02, VERD-20). That is `PinnedDispatch`.
 * - Where another certificate is shown, nothing is sent; the request waits for a verdict that knows of it and goes on
 *   once (CONN-06, VERD-19). What was sent is never sent again.
 */

/** How to connect; tests pass a `connect` that misbehaves. */
export interface ConnectorOptions extends Pick<DialOptions, 'connect'> {
  readonly connectMs?: number
}

/** Gives undici sockets whose certificate is the expected one, and no others. */
export function createConnector(
  target: Target,
  expected: Digest,
  { connect, connectMs = limits.connectTimeoutMs }: ConnectorOptions = {},
): buildConnector.connector {
  return (_, callback) => {
    const signal = AbortSignal.timeout(connectMs)
    dial(target, { signal, ...(connect && { connect }) }).then(
      ({ socket, leaf }) => {
        if (leaf === expected) return callback(null, socket)
        discard(socket)
        return callback(new AttestationError('tls-fingerprint', 'leaf_mismatch'), null)
      },
      (error: Error) => callback(error, null),
    )
  }
}

/** What a request goes under: a live verdict, and the signal that is aborted, with a `Withdrawn`, as soon as it ends. */
export interface Admittance {
  readonly verdict: Admitted
  readonly term: AbortSignal
}

/** One request that is to be sent. */
export interface Outgoing {
  /** Composes what is sent under a verdict; anew for a second try, as nothing was read of the first one's body. */
  compose(verdict: Admitted): Dispatcher.DispatchOptions
  /** How long it may wait where another certificate is shown. */
  readonly patience: Patience
  /** Whether it may go on under a verdict that has taken the place of its own; any will do when left out. */
  mayGoUnder?(verdict: Admitted): boolean
  /** What the handler is told in the place of a refusal. */
  inWords?(refused: Refused): Error
}

/** The endpoint that a request goes to. */
export interface Way {
  verdict(): Verdict
  /** The connections that end at this certificate. */
  poolOf(fingerprint: Digest): Pick<Dispatcher, 'dispatch'>
  /** Waits for a verdict that knows more than this one; undefined when patience ended before. */
  awaitRenewal(doubted: Admitted, patience: Patience): Promise<Verdict | undefined>
  /** Told of the first connection of each request that showed another certificate than its verdict names. */
  onRefusedLeaf(verdict: Admitted): void
  /** Told of what nobody expected; the request fails with it. */
  onThrown(error: unknown): void
}

type Controller = Dispatcher.DispatchController
type Handler = Dispatcher.DispatchHandler
type Told<Event extends keyof Handler> = Parameters<NonNullable<Handler[Event]>>

/** Sends one request by the rule above. Its handler is told `Refused` where the rule, or the verdict's end, forbids. */
export class PinnedDispatch implements Handler {
  readonly #way: Way
  readonly #handler: Handler
  readonly #term: AbortSignal
  readonly #inWords: (refused: Refused) => Error
  #verdict: Admitted
  /** Gone once the request is sent: it is never sent again, and an answer may run for an hour with its body. */
  #outgoing: Outgoing | undefined
  #body: Dispatcher.DispatchOptions['body']
  /** Connections that showed another certificate. */
  #mismatches = 0

  constructor(way: Way, { verdict, term }: Admittance, outgoing: Outgoing, handler: Handler) {
    this.#way = way
    this.#verdict = verdict
    this.#term = term
    this.#outgoing = outgoing
    this.#inWords = outgoing.inWords ?? asItIs
    this.#handler = handler
  }

  start(): void {
    if (this.#outgoing === undefined) return
    if (this.#term.aborted) {
      this.onResponseError(nothingRuns, this.#term.reason as Error)
      return
    }
    const options = this.#outgoing.compose(this.#verdict)
    this.#body = options.body
    this.#way.poolOf(this.#verdict.admission.certFingerprint).dispatch(options, this)
  }

  onRequestStart(...told: Told<'onRequestStart'>): void {
    if (this.#outgoing === undefined) {
      told[0].abort(new Error('This request has been sent.'))
      return
    }
    this.#outgoing = undefined
    this.#body = undefined
    this.#handler.onRequestStart?.(...told)
  }

  onResponseStart(...told: Told<'onResponseStart'>): void {
    this.#handler.onResponseStart?.(...told)
  }

  onResponseData(...told: Told<'onResponseData'>): void {
    this.#handler.onResponseData?.(...told)
  }

  onResponseEnd(...told: Told<'onResponseEnd'>): void {
    this.#handler.onResponseEnd?.(...told)
  }

  onResponseError(controller: Controller, error: Error): void {
    const outgoing = this.#outgoing
    if (error instanceof Withdrawn) {
      const code = outgoing === undefined ? 'attestation_revoked' : 'attestation_failed'
      this.#refuse(controller, new Refused(code, error.ground))
    } else if (error instanceof AttestationError && outgoing !== undefined) {
      this.#heal(controller, outgoing, error).catch((thrown) => {
        // Nobody else would hear of what is thrown on the way, and the caller would wait.
        this.#way.onThrown(thrown)
        this.#handler.onResponseError?.(controller, thrown)
      })
    } else this.#handler.onResponseError?.(controller, error)
  }

  async #heal(controller: Controller, outgoing: Outgoing, mismatch: AttestationError): Promise<void> {
    const { patience, mayGoUnder = () => true } = outgoing
    // Each try reads the client's body anew, and one that came to nothing must not go on reading.
    if (this.#body instanceof Readable) this.#body.destroy()
    this.#mismatches += 1
    if (this.#mismatches === 1) this.#way.onRefusedLeaf(this.#verdict)
    const mayWait = this.#mismatches <= MAX_MISMATCHES
    const renewed = mayWait ? await this.#way.awaitRenewal(this.#verdict, patience) : undefined
    if (renewed?.state === 'admitted' && !patience.signal?.aborted && mayGoUnder(renewed)) {
      this.#verdict = renewed
      this.start()
      return
    }
    const verdict = renewed ?? this.#way.verdict()
    const isRenewing = verdict.state === 'admitted' && mayGoUnder(verdict)
    const ground = isRenewing ? mismatch : (verdict.state === 'admitted' ? unjudged : verdict).ground
    this.#refuse(controller, new Refused('attestation_failed', ground, { isRenewing }))
  }

  #refuse(controller: Controller, refused: Refused): void {
    this.#handler.onResponseError?.(controller, this.#inWords(refused))
  }
}

const asItIs = (refused: Refused): Error => refused

/** In place of undici's, for a request that was never given to it. */
const nothingRuns: Controller = {
  aborted: true,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
}
