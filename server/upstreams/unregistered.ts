import { isExternal, type ServedModel } from '../config/router.ts'
import type { Log } from '../log.ts'
import type { Upstreams } from './upstreams.ts'

/** Tells of models whose upstream nobody has registered: no mistake yet, but nobody will be served. */
export function tellUnregistered(
  models: readonly ServedModel[],
  upstreams: Pick<Upstreams, 'find'>,
  log: Log,
): void {
  for (const { id: model, upstream } of models.filter(isExternal)) {
    if (upstreams.find(upstream.name)) continue
    log.warn('a model waits for its upstream: router upstream add', { model, upstream: upstream.name })
  }
}
