import { startDatabase } from './database.ts'
import { prepareRouter } from './router.ts'
import type { Subject } from './subject.ts'

const routerOf = (models: number, measures: readonly string[]): Subject => ({
  name: `models-${models}`,
  description: `the router with ${models.toLocaleString('en-GB')} models`,
  isQuick: false,
  measures,
  prepare: async (place) => prepareRouter(place, await startDatabase(place.core), models),
})

/** Routers that serve many models. */
export const manyModels: readonly Subject[] = [
  routerOf(100, ['models']),
  routerOf(1_000, ['models', 'requests-64']),
]
