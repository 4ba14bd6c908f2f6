import { expect, test } from 'vitest'
import { testModel } from '../admission/testing.ts'
import type { ModelConfig, RouterConfig } from '../config/router.ts'
import { silent } from '../log.ts'
import { createFleet } from '../relay/fleet.ts'
import { createEdition } from './edition.ts'
import { createEditions } from './editions.ts'

const MIB = 1_048_576

function config(ports: readonly number[], limits: Partial<RouterConfig['limits']> = {}): RouterConfig {
  const backends = ports.map((port) => ({ url: `http://127.0.0.1:${port}/v1`, model: 'm', usage: 'final' }))
  return {
    publicBaseUrl: 'http://127.0.0.1/v1',
    limits: { bodyMemoryBytes: 8 * MIB, maxBodyBytes: MIB, maxEventBytes: MIB, ...limits },
    timers: { connectMs: 1_000 },
    corsOrigins: [],
    trustedProxies: [],
    endpoints: [],
    models: [testModel({ backends: backends as unknown as ModelConfig['backends'] })],
  } as unknown as RouterConfig
}

function world() {
  const fleet = createFleet(1_000)
  const collector = { released() {} }
  return { fleet, collector, isInService: () => true, observe() {}, log: silent, now: () => new Date() }
}

test('a server stays while an edition with requests has it, and goes with the last one', async () => {
  const { fleet, ...rest } = world()
  const first = createEdition(config([1, 2]), { fleet, ...rest })
  const editions = createEditions(first, silent)
  const visit = editions.visit()
  visit.enter()
  editions.take(createEdition(config([2, 3]), { fleet, ...rest }, first))
  expect(fleet.size).toBe(3)
  visit.leave()
  expect(fleet.size).toBe(2)
  await editions.close()
  expect(fleet.size).toBe(0)
})

test('a hundred reloads leave no server behind', async () => {
  const { fleet, ...rest } = world()
  const editions = createEditions(createEdition(config([0]), { fleet, ...rest }), silent)
  for (let port = 1; port <= 100; port++)
    editions.take(createEdition(config([port]), { fleet, ...rest }, editions.current))
  expect([fleet.size, editions.olderCount]).toEqual([1, 0])
  await editions.close()
})

test('bodies are in one memory as long as its sizes are the same', async () => {
  const first = createEdition(config([1]), world())
  expect(createEdition(config([2]), world(), first).memory).toBe(first.memory)
  const larger = createEdition(config([1], { bodyMemoryBytes: 16 * MIB }), world(), first)
  expect(larger.memory).not.toBe(first.memory)
})
