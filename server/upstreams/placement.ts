import type { Digest } from '#attestation'
import type { Admittance } from '#egress/dispatch/pinned.ts'
import { Refused } from '#egress/refused.ts'
import type { Awaitable } from '../awaitable.ts'
import { unknownModel } from '../catalogue.ts'
import { isExternal, type ServedModel, type UpstreamModelConfig } from '../config/router.ts'
import type { Shelf } from '../publication/shelf.ts'
import { openPassage, type Passage } from './passage.ts'
import { refusalOf } from './refusals.ts'
import type { Upstreams } from './upstreams.ts'

/** Where a request goes. */
export interface Placement {
  /** The endpoint's name, as its record will tell it. */
  readonly endpoint: string
  /** What the record will name: an own endpoint's publication in force, or what the admitting verdict named (CHAT-15). */
  readonly evidenceDigest: Digest | null
  /** The way to an external upstream; an own endpoint has backends. */
  readonly passage?: Passage
}

/** What placing a request needs from the rest of the router. */
export interface PlacementDependencies {
  readonly shelf: Shelf
  readonly upstreams: Pick<Upstreams, 'find'>
}

/**
 * Finds where a request goes. Throws 503 `attestation_failed` when no live verdict admits its upstream: a caller that
 * `authorize` lets pass may wait for the first one (VERD-14).
 */
export function placeRequest(
  model: ServedModel,
  { shelf, upstreams }: PlacementDependencies,
  authorize: () => Promise<unknown>,
): Awaitable<Placement> {
  if (isExternal(model)) return placeOutside(model, upstreams, authorize)
  const { name: endpoint } = model.endpoint
  return { endpoint, evidenceDigest: shelf.find(endpoint)?.digest ?? null }
}

async function placeOutside(
  model: UpstreamModelConfig,
  upstreams: Pick<Upstreams, 'find'>,
  authorize: () => Promise<unknown>,
): Promise<Placement> {
  const { name } = model.upstream
  const upstream = upstreams.find(name)
  if (upstream === undefined) throw unknownModel(model.id, 'model')
  const arrived = upstream.endpoint.now
  const admittance = upstream.endpoint.admit() ?? (await awaitAdmittance())
  const passage = openPassage(upstream, admittance, model.upstream, arrived)
  return { endpoint: name, evidenceDigest: passage.evidenceDigest, passage }

  async function awaitAdmittance(): Promise<Admittance> {
    await authorize()
    try {
      return await upstream!.endpoint.awaitAdmittance({ since: arrived })
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown
      throw thrown.ground.reason === 'disabled' ? unknownModel(model.id, 'model') : refusalOf(thrown)
    }
  }
}
