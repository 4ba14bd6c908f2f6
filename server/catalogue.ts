import type { TeeLabel } from '#attestation'
import type { components } from '#contract/types'
import { isExternal, type ServedModel } from './config/router.ts'
import { ApiError } from './errors.ts'

type ModelEntry = components['schemas']['Model']

/** The models that the router serves, in the order of the configuration file. */
export interface Catalogue {
  readonly models: readonly ServedModel[]
  readonly byId: ReadonlyMap<string, ServedModel>
  /** Throws 404 `model_not_found`, naming the field that named the model. */
  require(id: string, param: string): ServedModel
}

/** Whether an external upstream is there to be asked: registered, and not taken out of service. */
export type IsInService = (upstream: string) => boolean

/** Looks models up by id; ids are exact and may hold `/`, `:` and `.` (MODL-18). */
export function createCatalogue(
  models: readonly ServedModel[],
  isInService: IsInService = () => false,
): Catalogue {
  const byId = new Map(models.map((model) => [model.id, model]))
  return {
    models,
    byId,
    require(id, param) {
      const model = byId.get(id)
      if (!model || (isExternal(model) && !isInService(model.upstream.name))) throw unknownModel(id, param)
      return model
    },
  }
}

/** The refusal of a model that is not there, or that the caller may not know of. */
export function unknownModel(id: string, param: string): ApiError {
  const message = `No such model: ${printable(id)}. GET /v1/models lists those that this key may use.`
  return new ApiError('model_not_found', message, { param })
}

/** Where a model is served, as the model list shows it. */
export interface ShownEndpoint {
  readonly name: string
  readonly hostname: string
  /** What its published evidence names; absent for an external one (MODL-11). */
  readonly tee?: TeeLabel | null
}

/** A model as the model list shows it (MODL-06). */
export function modelEntry(model: ServedModel, endpoint: ShownEndpoint): ModelEntry {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    name: model.name,
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    pricing: {
      prompt_per_1m_micros: model.pricing.promptMicros,
      completion_per_1m_micros: model.pricing.completionMicros,
    },
    endpoint: { ...endpoint },
    capabilities: [...model.capabilities],
  }
}

/** Whether a key may use a model; a key without a scope may use all (KEY-07). */
export function isInScope(modelScope: readonly string[] | null, model: string): boolean {
  return modelScope === null || modelScope.includes(model)
}

const SHOWN_ID_LENGTH = 128

/** What a caller sent is repeated in an error only in part, and without control characters. */
function printable(id: string): string {
  return JSON.stringify(id.length > SHOWN_ID_LENGTH ? `${id.slice(0, SHOWN_ID_LENGTH)}…` : id)
}
