import { Agent, get } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { readMetrics, valueIn } from './metrics.ts'
import { chat, type Service, type ServiceOptions, startService } from './service.ts'

const services: Service[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

async function start(timers: ServiceOptions['timers']) {
  const service = await startService({ timers: timers! })
  services.push(service)
  const { apiKey } = await service.createAccount(5_000_000n)
  const records = () =>
    service.sql<{ id: string; status: string; prompt_tokens: bigint; completion_tokens: bigint }[]>`
      select * from generations`
  return { service, apiKey, records }
}

const readiness = async ({ adminUrl }: Service) => {
  const response = await fetch(`${adminUrl}/readyz`)
  return { status: response.status, body: await response.json() }
}

const long = { stream: true, messages: [{ role: 'user', content: 'Hello [script:long]' }] }

/** Begins a stream and waits for its first bytes. */
async function begin(service: Service, apiKey: string, body: object = long) {
  const response = await chat(service, apiKey, { ...body })
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = decoder.decode((await reader.read()).value)
  const rest = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += decoder.decode(value)
    }
  })()
  return { response, rest }
}

/** Asks on a connection of its own, or on that of `agent`. */
function ask(url: string, agent: Agent | false = false) {
  return new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode!, connection: response.headers.connection })
      })
    })
    request.on('error', reject)
  })
}

test('a stop says not ready first, then takes no new connections, and lets what runs come to its end', async () => {
  const { service, apiKey, records } = await start({ notReadyMs: 400, drainMs: 20_000 })
  const { rest } = await begin(service, apiKey, {
    ...long,
    messages: [{ role: 'user', content: 'Hello [script:think]' }],
  })
  const connected = new Agent({ keepAlive: true })
  expect((await ask(`${service.baseUrl}/models`, connected)).connection).toBe('keep-alive')
  const stopped = service.stopRouter()
  expect(await readiness(service)).toEqual({
    status: 503,
    body: {
      status: 'not_ready',
      reasons: ['draining'],
      config_version: expect.stringMatching(/^[0-9a-f]{12}$/),
    },
  })
  // Load balancers have not noticed yet: nobody is turned away, and every answer is its connection's last.
  expect(await ask(`${service.baseUrl}/models`)).toEqual({ status: 401, connection: 'close' })
  expect(await ask(`${service.baseUrl}/models`, connected)).toEqual({ status: 401, connection: 'close' })
  await vi.waitFor(() =>
    expect(ask(`${service.baseUrl}/models`)).rejects.toMatchObject({ code: 'ECONNREFUSED' }),
  )
  const text = await rest
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text).not.toContain('"error"')
  await stopped
  expect(await records()).toMatchObject([{ status: 'ok' }])
  await expect(fetch(`${service.adminUrl}/readyz`)).rejects.toThrow()
})

test('what still runs at the deadline ends with an error event and is metered as aborted', async () => {
  const { service, apiKey, records } = await start({ drainMs: 300 })
  const { rest } = await begin(service, apiKey)
  const whole = chat(service, apiKey, { messages: [{ role: 'user', content: 'Hello [script:silence]' }] })
  await vi.waitFor(async () =>
    expect(valueIn(await readMetrics(service.adminUrl), 'router_generations_running')).toBe(2),
  )
  const stopped = service.stopRouter()
  expect(valueIn(await readMetrics(service.adminUrl), 'router_generations_running')).toBe(2)
  const text = await rest
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(JSON.parse(text.trimEnd().split('\n\n').at(-2)!.slice('data: '.length))).toMatchObject({
    error: { code: 'internal', type: 'server_error' },
  })
  const answer = await whole
  expect(answer.status).toBe(500)
  // Its prompt is metered, so a second try by the SDK itself would be paid twice.
  expect(answer.headers.get('x-should-retry')).toBe('false')
  expect(answer.headers.get('x-router-generation-id')).toMatch(/^gen-/)
  await stopped
  const rows = await records()
  expect(rows.map(({ status }) => status)).toEqual(['aborted', 'aborted'])
  expect(rows.every(({ prompt_tokens: tokens }) => tokens > 0n)).toBe(true)
  expect(rows.some(({ completion_tokens: tokens }) => tokens > 0n)).toBe(true)
  expect(await service.verify()).toMatchObject({ open_holds: 0, generations: 2, differences: [] })
})

test('a connection on which nothing is asked does not delay a stop', async () => {
  const { service } = await start({ drainMs: 60_000 })
  const idle = new Agent({ keepAlive: true })
  await ask(`${service.baseUrl}/models`, idle)
  const begun = performance.now()
  await service.stopRouter()
  // Half of what it would wait for a request.
  expect(performance.now() - begun).toBeLessThan(30_000)
  expect(await service.sql`select from replicas where lapses_at > clock_timestamp()`).toHaveLength(0)
})
