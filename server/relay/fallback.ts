import type { Hop } from './hop.ts'
import type { HopEnd } from './hop-end.ts'
import { idsOf, type RelayLog } from './settler.ts'
import type { RelayTask } from './task.ts'

/**
 * The task for the next model that may serve a request of which no backend has generated anything; undefined when there
 * is none. Its hold names that model before anything is sent to it: whatever happens then, the record and the price are
 * those of the model that served.
 */
export async function fallBack(
  task: RelayTask,
  hop: Hop,
  end: HopEnd,
  log: RelayLog,
): Promise<RelayTask | undefined> {
  if (end.kind !== 'failed' || !hop.isUnserved) return undefined
  const { additions: _, passage: __, promptCount: ___, fallbacks = [], ...rest } = task
  for (const [index, prepare] of fallbacks.entries()) {
    try {
      const fallback = await prepare()
      if (fallback === undefined) continue
      const { served, ...ways } = fallback
      const generation = await task.generation.serveBy(served)
      log.warn('another model serves', { ...idsOf(generation), model: served.model })
      hop.client.release()
      return { ...rest, ...ways, generation, fallbacks: fallbacks.slice(index + 1) }
    } catch (error) {
      log.warn('another model could not serve', { ...idsOf(task.generation), error })
    }
  }
  return undefined
}
