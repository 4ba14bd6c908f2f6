import { type Catalogue, isInScope, modelEntry, unknownModel } from '../catalogue.ts'
import type { ModelConfig } from '../config/router.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { JsonHandler } from './handlers.ts'

/** `GET /models`: the models within the key's scope (§4). */
export function listModels(catalogue: Catalogue, shelf: Shelf): JsonHandler<'listModels'> {
  return async ({ key }) => {
    const visible = catalogue.models.filter(({ id }) => isInScope(key.modelScope, id))
    return { status: 200, body: { object: 'list', data: visible.map((model) => entryOf(model, shelf)) } }
  }
}

/** `GET /models/{id}`: one model; a model outside the key's scope is as unknown as any other (decisions, 4). */
export function getModel(catalogue: Catalogue, shelf: Shelf): JsonHandler<'getModel'> {
  return async ({ key, path }) => {
    const model = catalogue.require(path.id ?? '', 'id')
    if (!isInScope(key.modelScope, model.id)) throw unknownModel(model.id, 'id')
    return { status: 200, body: entryOf(model, shelf) }
  }
}

function entryOf(model: ModelConfig, shelf: Shelf) {
  return modelEntry(model, shelf.find(model.endpoint.name)?.tee ?? null)
}
