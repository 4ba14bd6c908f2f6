import type { components } from '#contract/console/types'
import type { Catalogue } from '../catalogue.ts'
import { isExternal, type ServedModel } from '../config/router.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { ConsoleHandler } from './handlers.ts'

type ModelBody = components['schemas']['ConsoleModel']

/** What the list of models needs from the router. */
export interface ModelsDependencies {
  /** Of the configuration in force. */
  readonly catalogue: Pick<Catalogue, 'models'>
  readonly upstreams: Pick<Upstreams, 'find'>
}

/** `GET /models`: every model with its price and whether it can be asked now (CONS-31). */
export function listingModels({
  catalogue,
  upstreams,
}: ModelsDependencies): ConsoleHandler<'listConsoleModels'> {
  return async () => ({
    status: 200,
    body: { data: catalogue.models.map((model) => toModelBody(model, upstreams)) },
  })
}

function toModelBody(model: ServedModel, upstreams: ModelsDependencies['upstreams']): ModelBody {
  const external = isExternal(model)
  return {
    id: model.id,
    name: model.name,
    owned_by: model.ownedBy,
    state: stateOf(model, upstreams),
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    input_per_1m_micros: model.pricing.promptMicros,
    output_per_1m_micros: model.pricing.completionMicros,
    capabilities: [...model.capabilities],
    endpoint: external ? model.upstream.name : model.endpoint.name,
    external,
  }
}

/** An upstream that is not registered has no verdict, which is what `pending` says (VERD-24). */
function stateOf(model: ServedModel, upstreams: ModelsDependencies['upstreams']): ModelBody['state'] {
  if (!isExternal(model)) return 'available'
  const state = upstreams.find(model.upstream.name)?.endpoint.verdict.state ?? 'pending'
  return state === 'admitted' ? 'available' : state
}
