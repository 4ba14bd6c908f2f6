import type { components } from '#contract'
import type { ModelConfig } from './config/router.ts'
import { ApiError } from './errors.ts'
import type { TeeLabel } from './publication/tee-label.ts'

type ModelEntry = components['schemas']['Model']

/** The models that the router serves, in the order of the configuration file. */
export interface Catalogue {
  readonly models: readonly ModelConfig[]
  /** Throws 404 `model_not_found`, naming the field that named the model. */
  require(id: string, param: string): ModelConfig
}

/** Looks models up by id; ids are exact and may hold `/`, `:` and `.` (decisions, 4). */
export function createCatalogue(models: readonly ModelConfig[]): Catalogue {
  const byId = new Map(models.map((model) => [model.id, model]))
  return {
    models,
    require(id, param) {
      const model = byId.get(id)
      if (!model) throw unknownModel(id, param)
      return model
    },
  }
}

/** The refusal of a model that is not there, or that the caller may not know of. */
export function unknownModel(id: string, param: string): ApiError {
  return new ApiError('model_not_found', `No such model: ${printable(id)}.`, { param })
}

/** A model as the model list shows it; the label is what its endpoint's published evidence names (§2.3). */
export function modelEntry(model: ModelConfig, tee: TeeLabel | null): ModelEntry {
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
    endpoint: { name: model.endpoint.name, hostname: model.endpoint.hostname, tee },
    capabilities: [...model.capabilities],
  }
}

/** Whether a key may use a model; a key without a scope may use all (§2.1). */
export function isInScope(modelScope: readonly string[] | null, model: string): boolean {
  return modelScope === null || modelScope.includes(model)
}

const SHOWN_ID_LENGTH = 128

/** What a caller sent is repeated in an error only in part, and without control characters. */
function printable(id: string): string {
  return JSON.stringify(id.length > SHOWN_ID_LENGTH ? `${id.slice(0, SHOWN_ID_LENGTH)}…` : id)
}
