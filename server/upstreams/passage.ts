import type { Dispatcher } from 'undici'
import { AttestationError, type Digest } from '#attestation'
import type { Moment } from '#egress/clock.ts'
import type { Withdrawn } from '#egress/connection/withdrawn.ts'
import { MAX_MISMATCHES, type Patience } from '#egress/verdict/doubts.ts'
import type { Admitted, Verdict } from '#egress/verdict/verdict.ts'
import type { ApiError } from '../errors.ts'
import { type Backend, createComposer } from '../relay/backend.ts'
import { createHealth } from '../relay/health.ts'
import { createTally } from '../relay/tally.ts'
import { attestationFailed, attestationRevoked } from './refusals.ts'
import type { Admittance, Upstream } from './upstream.ts'

/** The way of one request to an upstream, under the verdict that admitted it. */
export interface Passage {
  /** The admitting verdict's. */
  readonly evidenceDigest: Digest
  /** Aborted when that verdict ends. */
  readonly signal: AbortSignal
  readonly backend: Backend
  /** What the client is told then: a request of which nothing was sent was not revoked, but refused (ERR-32). */
  withdrawalError(isSent: boolean): ApiError
}

/** How an upstream knows a model. */
export interface UpstreamModel {
  readonly model: string
  readonly usage: 'final' | 'continuous'
}

/**
 * Opens the way of one request, given when it arrived. The certificate that it expects goes with it: nothing else may be
 * sent a byte.
 */
export function openPassage(
  upstream: Upstream,
  { verdict, term }: Admittance,
  model: UpstreamModel,
  arrived: Moment = upstream.attestor.now,
): Passage {
  const { url, hostname } = upstream.registration
  const config = { url, hostname, apiKey: upstream.apiKey, ...model }
  const compose = createComposer(config)
  const abandoned = new AbortController()
  const patience = { since: arrived, signal: abandoned.signal }
  return {
    evidenceDigest: verdict.admission.digest,
    signal: term,
    withdrawalError(isSent) {
      const { ground } = term.reason as Withdrawn
      return isSent ? attestationRevoked(ground) : attestationFailed(ground)
    },
    backend: {
      name: upstream.registration.name,
      config,
      health: createHealth(() => performance.now()),
      running: 0,
      tally: createTally(),
      dispatch: (request, handler) =>
        // Composed anew for a second try: nothing was read of the first one's body.
        new PinnedDispatch(upstream, verdict, patience, () => compose(request), handler).start(),
      abandon: () => abandoned.abort(),
    },
  }
}

/**
 * Sends one request over a connection that shows the expected certificate. Where another one stands nothing is sent: it
 * waits, for fifteen seconds from its arrival, until the upstream is known to show that one, and goes on once if the
 * deployment is the same.
 */
class PinnedDispatch implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream
  readonly #handler: Dispatcher.DispatchHandler
  /** Gone once the request is sent: it is never sent again, and an answer may run for an hour with its body. */
  #compose: (() => Dispatcher.DispatchOptions) | undefined
  #verdict: Admitted
  /** Connections that showed another certificate. */
  #mismatches = 0
  readonly #patience: Patience

  constructor(
    upstream: Upstream,
    verdict: Admitted,
    patience: Patience,
    compose: () => Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ) {
    this.#upstream = upstream
    this.#verdict = verdict
    this.#patience = patience
    this.#compose = compose
    this.#handler = handler
  }

  start(): void {
    if (this.#compose === undefined) return
    this.#upstream.pools.of(this.#verdict.admission.certFingerprint).dispatch(this.#compose(), this)
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#compose = undefined
    this.#handler.onRequestStart?.(controller, context)
  }

  onResponseStart(...told: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...told)
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#handler.onResponseData?.(controller, bytes)
  }

  onResponseEnd(...told: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...told)
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const isOtherLeaf = error instanceof AttestationError && this.#compose !== undefined
    if (!isOtherLeaf) this.#handler.onResponseError?.(controller, error)
    // Nobody else would hear of what is thrown on the way, and the caller would wait.
    else this.#heal(controller, error).catch((thrown) => this.#handler.onResponseError?.(controller, thrown))
  }

  async #heal(controller: Dispatcher.DispatchController, mismatch: AttestationError): Promise<void> {
    const { attestor } = this.#upstream
    const doubted = this.#verdict
    this.#mismatches += 1
    const mayWait = this.#mismatches <= MAX_MISMATCHES
    const verdict = mayWait ? await attestor.awaitRenewal(doubted, this.#patience) : undefined
    if (verdict?.state === 'admitted' && !this.#patience.signal?.aborted && isSame(verdict, doubted)) {
      this.#verdict = verdict
      this.start()
      return
    }
    this.#handler.onResponseError?.(controller, refusalOf(verdict ?? attestor.verdict, doubted, mismatch))
  }
}

/** Its record names the deployment that a request was accepted for, and it may not be served by another one. */
function isSame({ admission: { digest } }: Admitted, { admission: doubted }: Admitted): boolean {
  return digest === doubted.digest
}

/** Why a request that met another certificate does not go on. */
function refusalOf(verdict: Verdict, doubted: Admitted, mismatch: AttestationError): ApiError {
  if (verdict.state !== 'admitted') return attestationFailed(verdict.ground)
  if (isSame(verdict, doubted)) return attestationFailed(mismatch, { isRenewing: true })
  return attestationFailed(new AttestationError('attesting', 'verdict_pending'))
}
