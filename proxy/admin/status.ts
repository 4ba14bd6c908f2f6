import type { ProxiedEndpointStatus } from '#contract/models'
import type { Clock } from '#egress/clock.ts'
import { elapsedMs } from '#egress/clock.ts'
import { hardwareDocument } from '#egress/hardware.ts'
import { lifeLeftMs, proxyRules, type Verdict } from '#egress/verdict/verdict.ts'
import type { EndpointConfig } from '../config/proxy.ts'
import type { Endpoint } from '../endpoint.ts'

/** What is told of an endpoint. */
export interface StatusSources {
  readonly config: EndpointConfig
  readonly endpoint: Endpoint
  /** Where clients connect. */
  readonly address: string
  readonly clock: Clock
}

/** An endpoint as the proxy knows it at this moment (PRXY-22). */
export function statusOfEndpoint(sources: StatusSources): ProxiedEndpointStatus {
  const { config, endpoint, address } = sources
  const { running, forwarded, refused } = endpoint.tally
  return {
    name: config.name,
    hostname: config.target.hostname,
    listen: address,
    verdict: verdictStatus(endpoint.attested.verdict, sources),
    next_check_in_ms: Math.ceil(endpoint.attested.nextCheckMs),
    requests: { forwarded, refused, running },
  }
}

function verdictStatus(
  verdict: Verdict,
  { endpoint, clock }: StatusSources,
): ProxiedEndpointStatus['verdict'] {
  const now = clock.now()
  const since = endpoint.stateSince
  if (verdict.state === 'admitted') {
    return {
      state: 'admitted',
      evidence_digest: verdict.admission.digest,
      ...(verdict.admission.hardware && { hardware: hardwareDocument(verdict.admission.hardware) }),
      since: since.toISOString(),
      age_ms: whole(elapsedMs(verdict.since, now)),
      expires_in_ms: whole(lifeLeftMs(verdict, now, proxyRules)),
    }
  }
  const { stage, reason } = verdict.ground
  return {
    // Nobody disables an endpoint of the proxy but by taking it out of the configuration.
    state: verdict.state === 'pending' ? 'pending' : 'denied',
    stage,
    reason,
    since: since.toISOString(),
    age_ms: whole(now.wallMs - since.getTime()),
  }
}

/** A clock may have been set back in between. */
function whole(ms: number): number {
  return Math.max(0, Math.ceil(ms))
}
