import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readMetrics } from './metrics.ts'
import { chat, type Service, startService } from './service.ts'

const made = vi.hoisted(() => ({ traces: 0, tracers: 0 }))

vi.mock('../server/tracing/request-trace.ts', async (load) => {
  const actual = await load<typeof import('../server/tracing/request-trace.ts')>()
  class Counted extends actual.RequestTrace {
    constructor(...given: ConstructorParameters<typeof actual.RequestTrace>) {
      super(...given)
      made.traces++
    }
  }
  return { ...actual, RequestTrace: Counted }
})

vi.mock('../server/tracing/exporter.ts', async (load) => {
  const actual = await load<typeof import('../server/tracing/exporter.ts')>()
  class Counted extends actual.Exporter {
    constructor(...given: ConstructorParameters<typeof actual.Exporter>) {
      super(...given)
      made.tracers++
    }
  }
  return { ...actual, Exporter: Counted }
})

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const services: Service[] = []

async function start(traces: boolean): Promise<Service> {
  const config = { url: 'http://127.0.0.1:1/v1/traces', ratio: 1, authorization: undefined }
  const service = await startService(traces ? { traces: config } : {})
  services.push(service)
  return service
}

beforeAll(() => {
  made.traces = 0
})

afterAll(async () => {
  for (const service of services) await service.stop()
})

async function askTwice(service: Service): Promise<void> {
  const { apiKey } = await service.createAccount(1_000_000n)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', traceparent }
  for (const stream of [true, false]) {
    const response = await chat(service, apiKey, { stream }, { headers })
    expect(response.status).toBe(200)
    await response.text()
  }
}

test('without `traces` none are made, and no `traceparent` is passed on', async () => {
  const service = await start(false)
  await askTwice(service)
  expect(made).toEqual({ traces: 0, tracers: 0 })
  expect(service.backend.requests().map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined])
  const names = (await readMetrics(service.adminUrl)).map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('router_traces'))).toEqual([])
})

test('with a collector that nobody answers for, each request has one and is served all the same', async () => {
  const service = await start(true)
  await askTwice(service)
  expect(made).toEqual({ traces: 2, tracers: 1 })
  expect(service.backend.requests()).toHaveLength(2)
  expect((await service.verify()).differences).toEqual([])
})
