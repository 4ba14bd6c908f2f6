import { type Catalogue, isInScope, modelEntry, type ShownEndpoint, unknownModel } from '../catalogue.ts'
import { isExternal, type ServedModel } from '../config/router.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { JsonHandler } from './handlers.ts'

/** What the model routes need from the rest of the router. */
export interface ModelDependencies {
  readonly catalogue: Catalogue
  readonly shelf: Shelf
  readonly upstreams: Pick<Upstreams, 'find'>
}

/** `GET /models`: the models within the key's scope whose endpoint is the router's own or holds a verdict (EP-06). */
export function listModels(dependencies: ModelDependencies): JsonHandler<'listModels'> {
  return async ({ key }) => {
    const inScope = dependencies.catalogue.models.filter(({ id }) => isInScope(key.modelScope, id))
    const data = inScope.flatMap((model) => {
      const endpoint = endpointOf(model, dependencies)
      return endpoint === undefined ? [] : [modelEntry(model, endpoint)]
    })
    return { status: 200, body: { object: 'list', data } }
  }
}

/** `GET /models/{id}`: one model; one that the list would not show is as unknown as any other (MODL-20). */
export function getModel(dependencies: ModelDependencies): JsonHandler<'getModel'> {
  return async ({ key, path }) => {
    const model = dependencies.catalogue.require(path.id ?? '', 'id')
    const endpoint = endpointOf(model, dependencies)
    if (endpoint === undefined || !isInScope(key.modelScope, model.id)) throw unknownModel(model.id, 'id')
    return { status: 200, body: modelEntry(model, endpoint) }
  }
}

/** Undefined: nobody admits it now. */
function endpointOf(
  model: ServedModel,
  { shelf, upstreams }: Pick<ModelDependencies, 'shelf' | 'upstreams'>,
): ShownEndpoint | undefined {
  if (!isExternal(model)) {
    const { name, hostname } = model.endpoint
    return { name, hostname, tee: shelf.find(name)?.tee ?? null }
  }
  const upstream = upstreams.find(model.upstream.name)
  if (upstream?.endpoint.verdict.state !== 'admitted') return undefined
  const { name, hostname } = upstream.registration
  return { name, hostname }
}
