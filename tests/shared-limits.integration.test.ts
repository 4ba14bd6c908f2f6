// @module-tag redis-server

import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RedisConfig } from '../server/limits/open.ts'
import { startRedis, type TestRedis } from '../server/limits/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { timeOf } from './pace.ts'
import { chat, type Service, startService } from './service.ts'

let redis: TestRedis

beforeAll(async () => {
  redis = await startRedis()
})

afterAll(() => redis.stop())

const start = (fallback: RedisConfig['fallback'] = 'memory') =>
  startService({
    redis: { url: redis.url, fallback },
    limits: { requestsPerMinute: 40, tokensPerMinute: 100_000 },
  })

async function statusOf(baseUrl: string, apiKey: string): Promise<number> {
  const answer = await chat({ baseUrl }, apiKey, {})
  await answer.text()
  return answer.status
}

const isLost = async ({ adminUrl }: Service) =>
  valueIn(await readMetrics(adminUrl), 'router_limits_shared_lost') === 1

describe('three routers with one Redis', () => {
  let service: Service
  let routers: string[]

  beforeAll(async () => {
    service = await start()
    routers = [service.baseUrl, await service.startReplica(), await service.startReplica()]
  })

  afterAll(() => service.stop())

  test('keep one limit, however many requests arrive at once', async () => {
    const { apiKey } = await service.createAccount(50_000_000n)
    const started = performance.now()
    const statuses = await Promise.all(
      Array.from({ length: 120 }, (_, index) => statusOf(routers[index % 3]!, apiKey)),
    )
    const admitted = statuses.filter((status) => status === 200).length
    const refilled = ((performance.now() - started) * 40) / 60_000
    expect(admitted).toBeGreaterThanOrEqual(40)
    expect(admitted).toBeLessThanOrEqual(40 + refilled)
    expect(statuses.filter((status) => status === 429)).toHaveLength(120 - admitted)
    expect((await service.verify()).differences).toEqual([])
  })

  test('know at once what one of them has metered', async () => {
    const { apiKey } = await service.createAccount(50_000_000n, { tokensPerMinute: 1 })
    expect(await statusOf(routers[0]!, apiKey)).toBe(200)
    for (const router of routers) expect(await statusOf(router, apiKey)).toBe(429)
  })

  test('give back to one another what a refusal for credit had taken', async () => {
    const { apiKey } = await service.createAccount(0n, { requestsPerMinute: 2 })
    for (const router of [...routers, ...routers]) expect(await statusOf(router, apiKey)).toBe(402)
  })
})

test('when Redis is lost each router counts on its own, says so, and shares again when it is back', async () => {
  const service = await start()
  const other = await service.startReplica()
  const { apiKey } = await service.createAccount(50_000_000n, { requestsPerMinute: 2 })
  const statuses = async (baseUrl: string) => [
    await statusOf(baseUrl, apiKey),
    await statusOf(baseUrl, apiKey),
    await statusOf(baseUrl, apiKey),
  ]
  expect(await statuses(service.baseUrl)).toEqual([200, 200, 429])
  expect(await isLost(service)).toBe(false)

  await redis.kill()
  expect(await statuses(service.baseUrl)).toEqual([200, 200, 429])
  expect(await isLost(service)).toBe(true)
  expect(await statuses(other)).toEqual([200, 200, 429])

  await redis.restart()
  // Nobody calls meanwhile: it finds out by itself.
  await vi.waitUntil(async () => !(await isLost(service)), { timeout: 10_000, interval: 100 })
  await service.stop()
})

test('a Redis that hangs holds one request up for a moment, and a router stops without it', async () => {
  const service = await start()
  const { apiKey } = await service.createAccount(50_000_000n)
  const usualMs = await timeOf(async () => expect(await statusOf(service.baseUrl, apiKey)).toBe(200))
  redis.pause()
  try {
    const started = performance.now()
    expect(await statusOf(service.baseUrl, apiKey)).toBe(200)
    expect(performance.now() - started).toBeLessThan(3_000 + 10 * usualMs)
    await service.stop()
  } finally {
    redis.resume()
  }
})

test.each([
  ['closed', 429],
  ['open', 200],
] as const)('without Redis a router that is to fail %s answers %i', async (fallback, status) => {
  const service = await start(fallback)
  const { apiKey } = await service.createAccount(50_000_000n, { requestsPerMinute: 1 })
  expect(await statusOf(service.baseUrl, apiKey)).toBe(200)
  expect(await statusOf(service.baseUrl, apiKey)).toBe(429)
  await redis.kill()
  const answer = await chat(service, apiKey, {})
  await answer.text()
  expect(answer.status).toBe(status)
  expect(answer.headers.get('x-ratelimit-limit')).toBe('1')
  await service.stop()
  await redis.restart()
})

test('a router starts without its Redis, and finds it when it comes', async () => {
  await redis.kill()
  const service = await start('closed')
  const { apiKey } = await service.createAccount(50_000_000n)
  expect(await statusOf(service.baseUrl, apiKey)).toBe(429)
  await redis.restart()
  await vi.waitUntil(async () => (await statusOf(service.baseUrl, apiKey)) === 200, {
    timeout: 10_000,
    interval: 100,
  })
  await service.stop()
})
