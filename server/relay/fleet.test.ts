import { afterEach, expect, test } from 'vitest'
import type { BackendConfig } from './backend.ts'
import { createFleet, type Enlisted, type Fleet } from './fleet.ts'

const enlisted: Enlisted[] = []

afterEach(async () => {
  for (const one of enlisted.splice(0)) await one.release()
})

const configOf = (port: number, changes: Partial<BackendConfig> = {}): BackendConfig => ({
  url: `http://127.0.0.1:${port}/v1`,
  model: 'tiny',
  usage: 'final',
  ...changes,
})

function enlist(fleet: Fleet, ...backends: readonly BackendConfig[]): Enlisted {
  const one = fleet.enlist([{ id: 'm', backends }])
  enlisted.push(one)
  return one
}

const backendsOf = ({ backends }: Enlisted) => backends[0]!

test('a server that stands in two configurations keeps its circuit, its calls and its tally under a new weight', () => {
  const fleet = createFleet(1_000)
  const [before] = backendsOf(enlist(fleet, configOf(1)))
  before!.health.refused()
  before!.running = 3
  before!.tally.failures.refused++
  const [, after] = backendsOf(enlist(fleet, configOf(2), configOf(1, { weight: 7, usage: 'continuous' })))
  expect(after).toMatchObject({ name: '1', running: 3, tally: { failures: { refused: 1 } } })
  expect(after!.config).toMatchObject({ weight: 7, usage: 'continuous' })
  expect(after!.health.state()).toBe('open')
  after!.running--
  expect(before!.running).toBe(2)
})

test.each([
  ['another address', { url: 'http://127.0.0.1:2/v1' }],
  ['another name of the model', { model: 'other' }],
  ['another key', { apiKey: 'new' }],
])('a server with %s begins anew', (_, change) => {
  const fleet = createFleet(1_000)
  backendsOf(enlist(fleet, configOf(1)))[0]!.health.refused()
  expect(backendsOf(enlist(fleet, configOf(1, change)))[0]!.health.state()).toBe('closed')
})

test('a server that stands twice is two', () => {
  const fleet = createFleet(1_000)
  const [one, other] = backendsOf(enlist(fleet, configOf(1), configOf(1)))
  one!.running++
  expect(other!.running).toBe(0)
  expect(fleet.size).toBe(2)
})

test('a server goes with the last configuration that has it', async () => {
  const fleet = createFleet(1_000)
  const [before, after] = [enlist(fleet, configOf(1), configOf(2)), enlist(fleet, configOf(2))]
  await before.release()
  await before.release()
  expect(fleet.size).toBe(1)
  await after.release()
  expect(fleet.size).toBe(0)
})
