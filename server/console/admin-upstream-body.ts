import type { components } from '#contract/console/types'
import { attestedDocument, hardwareDocument } from '#egress/hardware.ts'
import { isExternal, type ServedModel } from '../config/router.ts'
import type { StoredEvent } from '../upstreams/events.ts'
import type { Registration } from '../upstreams/registration.ts'
import type { Upstream } from '../upstreams/upstream.ts'

type UpstreamBody = components['schemas']['AdminUpstream']
type Standing = Pick<UpstreamBody, 'state' | 'denial' | 'sticky' | 'hardware'>

const pending: Standing = { state: 'pending', denial: null, sticky: false, hardware: null }

/** An upstream as the contract has it; `live` is what this router makes of it, undefined before it knows of it. */
export function toUpstreamBody(
  registration: Registration,
  live: Upstream | undefined,
  models: readonly ServedModel[],
): UpstreamBody {
  const { id, name, url, hostname, roots, attested, pins, apiKey, admitted } = registration
  return {
    id,
    name,
    url,
    hostname,
    roots: roots.map(({ fingerprint }) => fingerprint),
    require_leaf_name: roots.every(({ requireLeafName }) => requireLeafName),
    attested: attested ? attestedDocument(attested) : null,
    pins: [...pins],
    has_api_key: apiKey !== null,
    ...standingOf(registration, live),
    last_admitted: admitted ? { at: admitted.at.toISOString(), evidence_digest: admitted.digest } : null,
    newest_issued_at: registration.newestIssuedAt?.toISOString() ?? null,
    models: models.filter((model) => isExternal(model) && model.upstream.name === name).map(({ id }) => id),
    created_at: registration.createdAt.toISOString(),
  }
}

/** What stands in the table goes before this router's verdict, which follows it within a second. */
function standingOf({ id, standing, deniedAt }: Registration, live: Upstream | undefined): Standing {
  const { isDisabled, denial } = standing
  if (isDisabled) return { ...pending, state: 'disabled' }
  if (denial) {
    const { stage, reason } = denial
    return {
      ...pending,
      state: 'denied',
      denial: { stage, reason, at: deniedAt?.toISOString() ?? null },
      sticky: true,
    }
  }
  const verdict = live?.registration.id === id ? live.endpoint.verdict : undefined
  // It was lifted, and this router has not heard of it yet.
  if (verdict === undefined || verdict.state === 'disabled') return pending
  if (verdict.state === 'admitted') {
    const { hardware } = verdict.admission
    return { ...pending, state: 'admitted', hardware: hardware && hardwareDocument(hardware) }
  }
  if (verdict.state !== 'denied') return { ...pending, state: verdict.state }
  const { isSticky: sticky, ground } = verdict
  const wasLifted = sticky && live?.unshared === undefined
  if (wasLifted) return pending
  const { stage, reason } = ground
  return { ...pending, state: 'denied', denial: { stage, reason, at: null }, sticky }
}

/** An event of an upstream as the contract has it. */
export function toEventBody(event: StoredEvent): components['schemas']['AdminUpstreamEvent'] {
  const { number, at, replica, stage, reason, digest, hardware } = event
  return {
    number: Number(number),
    at: at.toISOString(),
    replica,
    event: event.event,
    stage,
    reason,
    evidence_digest: digest,
    hardware,
  }
}
