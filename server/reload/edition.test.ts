import { expect, test } from 'vitest'
import { silent } from '../log.ts'
import { createFleet } from '../relay/fleet.ts'
import { createEdition } from './edition.ts'
import { createEditions } from './editions.ts'
import { testConfig, testWorld } from './testing.ts'

const MIB = 1_048_576

test('a server stays while an edition with requests has it, and goes with the last one', async () => {
  const fleet = createFleet(1_000)
  const world = testWorld(fleet)
  const first = createEdition(testConfig({}, [1, 2]), world)
  const editions = createEditions(first, silent)
  const visit = editions.visit()
  visit.enter()
  editions.take(createEdition(testConfig({}, [2, 3]), world, first))
  expect(fleet.size).toBe(3)
  visit.leave()
  expect(fleet.size).toBe(2)
  await editions.close()
  expect(fleet.size).toBe(0)
})

test('a hundred reloads leave no server behind', async () => {
  const fleet = createFleet(1_000)
  const world = testWorld(fleet)
  const editions = createEditions(createEdition(testConfig({}, [0]), world), silent)
  for (let port = 1; port <= 100; port++)
    editions.take(createEdition(testConfig({}, [port]), world, editions.current))
  expect([fleet.size, editions.olderCount]).toEqual([1, 0])
  await editions.close()
})

test('bodies are in one memory as long as its sizes are the same', async () => {
  const first = createEdition(testConfig({}, [1]), testWorld())
  const { limits } = first.config
  expect(createEdition(testConfig({}, [2]), testWorld(), first).memory).toBe(first.memory)
  const larger = createEdition(
    testConfig({ limits: { ...limits, bodyMemoryBytes: limits.bodyMemoryBytes + MIB } }),
    testWorld(),
    first,
  )
  expect(larger.memory).not.toBe(first.memory)
})
