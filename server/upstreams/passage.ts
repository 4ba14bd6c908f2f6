import type { Digest } from '#attestation'
import type { Moment } from '#egress/clock.ts'
import type { Admittance } from '#egress/dispatch/pinned.ts'
import { Refused, type Withdrawn } from '#egress/refused.ts'
import type { Admitted } from '#egress/verdict/verdict.ts'
import { createComposer } from '../relay/backend.ts'
import type { OnlyWay } from '../relay/task.ts'
import { refusalOf } from './refusals.ts'
import type { Upstream } from './upstream.ts'

/** The way of one request to an upstream, under the verdict that admitted it. */
export interface Passage extends OnlyWay {
  /** The admitting verdict's. */
  readonly evidenceDigest: Digest
}

/** How an upstream knows a model. */
export interface UpstreamModel {
  readonly model: string
  readonly usage: 'final' | 'continuous'
}

/**
 * Opens the way of one request, given when it arrived. Where another certificate stands it waits, for fifteen seconds
 * from its arrival, and goes on only if the deployment is the same: its record names the one that it was accepted for.
 */
export function openPassage(
  upstream: Upstream,
  admittance: Admittance,
  model: UpstreamModel,
  arrived: Moment,
): Passage {
  const { term, verdict } = admittance
  const { digest } = verdict.admission
  const { url, hostname } = upstream.registration
  const config = { url, hostname, apiKey: upstream.apiKey, ...model }
  const compose = createComposer(config)
  const abandoned = new AbortController()
  const patience = { since: arrived, signal: abandoned.signal }
  return {
    evidenceDigest: digest,
    name: upstream.registration.name,
    config,
    signal: term,
    dispatch(request, handler) {
      const outgoing = {
        compose: () => compose(request),
        patience,
        mayGoUnder: ({ admission }: Admitted) => admission.digest === digest,
        inWords: refusalOf,
      }
      upstream.endpoint.dispatch(admittance, outgoing, handler)
    },
    abandon: () => abandoned.abort(),
    /** A request of which nothing was sent was not revoked, but refused (ERR-32). */
    withdrawalError(isSent) {
      const { ground } = term.reason as Withdrawn
      return refusalOf(new Refused(isSent ? 'attestation_revoked' : 'attestation_failed', ground))
    },
  }
}
