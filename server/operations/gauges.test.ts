import { expect, test } from 'vitest'
import type { EndpointConfig } from '../config/router.ts'
import type { Meter } from '../meter.ts'
import type { Publication } from '../publication/publication.ts'
import type { Relay } from '../relay/relay.ts'
import type { Sql } from '../store/connection.ts'
import { createGauges } from './gauges.ts'

const issuedAt = new Date('2026-01-01T00:00:00Z')

function world(sql: () => Promise<unknown>) {
  const endpoints = ['fresh', 'silent'].map(
    (name) => ({ name, hostname: `${name}.example` }) as EndpointConfig,
  )
  const reaped = { lapsed: 3, unsent: 1 }
  const metrics = createGauges({
    databases: [{ sql: sql as unknown as Sql }],
    meter: { runningCount: 5, waitingCount: 2, reaped } as Meter,
    relay: { backends: () => [{ model: 'm', index: 1, running: 4, isOpen: true }] } as unknown as Relay,
    shelf: {
      find: (name) => (name === 'fresh' ? ({ issuedAt } as Publication) : undefined),
    },
    endpoints: () => endpoints,
    activeRequests: () => 7,
    now: () => new Date(issuedAt.getTime() + 90_000),
  })
  return async (name: string) => {
    return await metrics.find((one) => one.name === name)!.read()
  }
}

test('the age of the evidence counts from when it was signed; without evidence there is none', async () => {
  const read = world(async () => [])
  expect(await read('router.evidence.age')).toEqual([{ value: 90, labels: { endpoint: 'fresh' } }])
})

test('what runs, waits, is held and was reaped is read as it is now', async () => {
  const read = world(async () => [{ count: 6n, age: 1.5 }])
  expect(await read('http.server.active_requests')).toEqual([{ value: 7 }])
  expect(await read('router.generations.running')).toEqual([{ value: 5 }])
  expect(await read('router.settlements.waiting')).toEqual([{ value: 2 }])
  expect(await read('router.holds.open')).toEqual([{ value: 6 }])
  expect(await read('router.holds.oldest_age')).toEqual([{ value: 1.5 }])
  expect(await read('router.generations.reaped')).toEqual([
    { value: 3, labels: { cause: 'lease_lapsed' } },
    { value: 1, labels: { cause: 'never_sent' } },
  ])
})

test('a backend whose circuit is open is one that is avoided', async () => {
  const read = world(async () => [])
  const labels = { 'gen_ai.request.model': 'm', backend: '1' }
  expect(await read('router.backends.avoided')).toEqual([{ value: 1, labels }])
  expect(await read('router.backends.running')).toEqual([{ value: 4, labels }])
})

test('two metrics of one look ask the database once, and its absence is no zero', async () => {
  let asked = 0
  const read = world(async () => {
    asked++
    throw new Error('away')
  })
  const readings = await Promise.allSettled([read('router.holds.open'), read('router.holds.oldest_age')])
  expect(readings.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked).toBe(1)
})
