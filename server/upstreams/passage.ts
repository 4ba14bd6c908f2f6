import type { Dispatcher } from 'undici'
import { AttestationError, type Digest } from '#attestation'
import type { Withdrawn } from '#egress/connection/withdrawn.ts'
import type { Admitted, Verdict } from '#egress/verdict/verdict.ts'
import type { ApiError } from '../errors.ts'
import { type Backend, createComposer } from '../relay/backend.ts'
import { createHealth } from '../relay/health.ts'
import { attestationFailed, attestationRevoked } from './refusals.ts'
import type { Admittance, Upstream } from './upstream.ts'

/** The way of one request to an upstream, under the verdict that admitted it. */
export interface Passage {
  /** The admitting verdict's. */
  readonly evidenceDigest: Digest
  /** Aborted when that verdict ends. */
  readonly signal: AbortSignal
  readonly backend: Backend
  /** What the client is told then: a request of which nothing was sent was not revoked, but refused (§7.6). */
  withdrawalError(isSent: boolean): ApiError
}

/** How an upstream knows a model. */
export interface UpstreamModel {
  readonly model: string
  readonly usage: 'final' | 'continuous'
}

/** Opens the way of one request. The certificate that it expects goes with it: nothing else may be sent a byte. */
export function openPassage(
  upstream: Upstream,
  { verdict, term }: Admittance,
  model: UpstreamModel,
): Passage {
  const { url } = upstream.registration
  const config = { url, apiKey: upstream.apiKey, ...model }
  const compose = createComposer(config)
  return {
    evidenceDigest: verdict.admission.digest,
    signal: term,
    withdrawalError(isSent) {
      const { ground } = term.reason as Withdrawn
      return isSent ? attestationRevoked(ground) : attestationFailed(ground)
    },
    backend: {
      config,
      health: createHealth(() => performance.now()),
      running: 0,
      dispatch: (request, handler) =>
        // Composed anew for a second try: nothing was read of the first one's body.
        new PinnedDispatch(upstream, verdict, () => compose(request), handler).start(),
      close: async () => {},
    },
  }
}

/**
 * Sends one request over a connection that shows the expected certificate. Where another one stands nothing is sent:
 * the upstream is checked once more, and the request goes on once if the same deployment has a new certificate.
 */
class PinnedDispatch implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream
  readonly #handler: Dispatcher.DispatchHandler
  /** Gone once the request is sent: it is never sent again, and an answer may run for an hour with its body. */
  #compose: (() => Dispatcher.DispatchOptions) | undefined
  #verdict: Admitted
  #isRechecked = false

  constructor(
    upstream: Upstream,
    verdict: Admitted,
    compose: () => Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ) {
    this.#upstream = upstream
    this.#verdict = verdict
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
    else if (this.#isRechecked) this.#handler.onResponseError?.(controller, attestationFailed(error))
    else void this.#recheck(controller, error)
  }

  async #recheck(controller: Dispatcher.DispatchController, mismatch: AttestationError): Promise<void> {
    this.#isRechecked = true
    const doubted = this.#verdict
    const verdict = await this.#upstream.attestor.recheck(doubted)
    const obstacle = obstacleIn(verdict, doubted, mismatch)
    if (obstacle !== undefined) this.#handler.onResponseError?.(controller, attestationFailed(obstacle))
    else {
      this.#verdict = verdict as Admitted
      this.start()
    }
  }
}

/** Why a request that met another certificate may not go on under the verdict of the check that followed. */
function obstacleIn(
  verdict: Verdict,
  { admission: doubted }: Admitted,
  mismatch: AttestationError,
): AttestationError | undefined {
  if (verdict.state !== 'admitted') return verdict.ground
  if (verdict.admission.certFingerprint === doubted.certFingerprint) return mismatch
  // Its record names the deployment that it was accepted for, and may not be served by another one.
  if (verdict.admission.digest !== doubted.digest) return new AttestationError('attesting', 'verdict_pending')
  return undefined
}
