import { type Catalogue, isInScope, modelEntry, unknownModel } from '../catalogue.ts'
import type { JsonHandler } from './handlers.ts'

/** `GET /models`: the models within the key's scope (§4). */
export function listModels(catalogue: Catalogue): JsonHandler<'listModels'> {
  return async ({ key }) => {
    const visible = catalogue.models.filter(({ id }) => isInScope(key.modelScope, id))
    return { status: 200, body: { object: 'list', data: visible.map(modelEntry) } }
  }
}

/** `GET /models/{id}`: one model; a model outside the key's scope is as unknown as any other (decisions, 4). */
export function getModel(catalogue: Catalogue): JsonHandler<'getModel'> {
  return async ({ key, path }) => {
    const model = catalogue.require(path.id ?? '', 'id')
    if (!isInScope(key.modelScope, model.id)) throw unknownModel(model.id, 'id')
    return { status: 200, body: modelEntry(model) }
  }
}
