import { counter, gauge, type Metric } from '../operations/metric.ts'
import { type BodyMemory, pools, shortages } from './body-memory.ts'

/** What an operator sees of the memory of request bodies. */
export function bodyMetrics(memory: Pick<BodyMemory, 'usage'>): readonly Metric[] {
  return [
    gauge('router.bodies.memory.used', 'By', 'Taken by request bodies: small ones, and all others.', () =>
      pools.map((pool) => ({ value: memory.usage.usedBytes[pool], labels: { pool } })),
    ),
    gauge('router.bodies.memory.limit', 'By', 'What they may take.', () =>
      pools.map((pool) => ({ value: memory.usage.capacityBytes[pool], labels: { pool } })),
    ),
    gauge('router.bodies.waiting', '{request}', 'Requests whose bodies wait for memory.', () => [
      { value: memory.usage.waiting },
    ]),
    counter(
      'router.bodies.refused',
      '{request}',
      'Requests whose bodies got no memory in time, by whose share was used up.',
      () => shortages.map((share) => ({ value: memory.usage.refused[share], labels: { share } })),
    ),
  ]
}
