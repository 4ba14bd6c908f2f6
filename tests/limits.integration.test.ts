import OpenAI, { RateLimitError } from 'openai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readMetrics, valueIn } from './metrics.ts'
import { chat, demoModel, type Service, startService } from './service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({
    limits: { requestsPerMinute: 60, tokensPerMinute: 100_000 },
    models: (url) => [
      demoModel(url, { capabilities: ['chat', 'completions'] }),
      demoModel(url, { id: 'embed', capabilities: ['embeddings'] }),
    ],
  })
})

afterAll(() => service.stop())

const model = 'demo/tiny-chat'
const messages = [{ role: 'user' as const, content: 'Hello' }]
const unixSeconds = () => Math.floor(Date.now() / 1_000)

/** Uses a key's request bucket up, and shows the answers as they came. */
async function exhaust(apiKey: string, count: number): Promise<Response[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => chat(service, apiKey, {})))
  await Promise.all(answers.map((answer) => answer.text()))
  return answers
}

function limitsOf({ headers }: Response) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`)),
  )
  return { limit, remaining, reset }
}

describe('an admitted answer tells of the tighter request bucket', () => {
  test.each([
    ['whole', {}],
    ['streamed', { stream: true }],
    ['failed', { messages: [{ role: 'user', content: '[script:busy]' }] }],
  ])('when it is %s', async (_, body) => {
    const { apiKey } = await service.createAccount(5_000_000n, { requestsPerMinute: 5 })
    const askedAt = unixSeconds()
    const first = await chat(service, apiKey, body)
    await first.text()
    expect(first.headers.get('x-router-generation-id')).toMatch(/^gen-/)
    expect(limitsOf(first)).toMatchObject({ limit: 5, remaining: 4 })
    expect(limitsOf(first).reset!).toBeGreaterThanOrEqual(askedAt - 2)
    expect(limitsOf(first).reset!).toBeLessThanOrEqual(unixSeconds() + 2)
    expect(first.headers.get('retry-after-ms')).toBeNull()
    const second = await chat(service, apiKey, body)
    await second.text()
    expect(limitsOf(second)).toMatchObject({ limit: 5, remaining: 3 })
  })

  test('which is the workspace’s when the key’s own is larger', async () => {
    const { apiKey } = await service.createAccount(5_000_000n, { requestsPerMinute: 1_000 })
    const answer = await chat(service, apiKey, {})
    await answer.text()
    expect(limitsOf(answer)).toMatchObject({ limit: 60, remaining: 59 })
  })

  test('and no other answer does', async () => {
    const { apiKey } = await service.createAccount(0n)
    const poor = await chat(service, apiKey, {})
    expect(poor.status).toBe(402)
    expect(poor.headers.get('x-ratelimit-limit')).toBeNull()
    const listed = await fetch(`${service.baseUrl}/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect(listed.headers.get('x-ratelimit-limit')).toBeNull()
  })
})

describe('one request too many', () => {
  test('answers 429 with the headers of the bucket that refused, and nothing is sent or stored', async () => {
    const { apiKey, workspaceId } = await service.createAccount(5_000_000n, { requestsPerMinute: 2 })
    const statuses = (await exhaust(apiKey, 2)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200])
    service.backend.clearRequests()
    const askedAtMs = Date.now()
    const refused = await chat(service, apiKey, {})
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: {
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: expect.stringContaining('2 requests a minute of this key'),
      },
    })
    expect(limitsOf(refused)).toMatchObject({ limit: 2, remaining: 0 })
    const waitMs = Number(refused.headers.get('retry-after-ms'))
    expect(waitMs).toBeGreaterThan(20_000)
    expect(waitMs).toBeLessThanOrEqual(30_000)
    expect(refused.headers.get('retry-after')).toBe(String(Math.ceil(waitMs / 1_000)))
    const resetIn = limitsOf(refused).reset! * 1_000 - Date.now()
    expect(resetIn).toBeGreaterThan(waitMs - 2_000 - (Date.now() - askedAtMs))
    expect(resetIn).toBeLessThan(waitMs + 2_000)
    expect(refused.headers.get('x-router-generation-id')).toBeNull()
    expect(service.backend.requests()).toEqual([])
    expect(await service.sql`select from generations where workspace_id = ${workspaceId}`).toHaveLength(2)
    expect(await service.sql`select from holds where workspace_id = ${workspaceId}`).toHaveLength(0)
  })

  test('does so on each of the three inference routes, and on no other', async () => {
    const { apiKey } = await service.createAccount(5_000_000n, { requestsPerMinute: 1 })
    await exhaust(apiKey, 1)
    const headers = { authorization: `Bearer ${apiKey}` }
    const bodies = {
      'chat/completions': { model, messages },
      completions: { model, prompt: 'Hello' },
      embeddings: { model: 'embed', input: 'Hello' },
    }
    for (const [path, body] of Object.entries(bodies)) {
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      expect((await fetch(`${service.baseUrl}/${path}`, init)).status).toBe(429)
    }
    expect((await fetch(`${service.baseUrl}/models`, { headers })).status).toBe(200)
  })

  test('after tokens beyond the limit is refused until the debt is repaid', async () => {
    const { apiKey } = await service.createAccount(5_000_000n, { tokensPerMinute: 1 })
    const served = await chat(service, apiKey, {})
    const { usage } = (await served.json()) as { usage: { total_tokens: number } }
    expect(usage.total_tokens).toBeGreaterThan(2)
    const refused = await chat(service, apiKey, {})
    expect(refused.status).toBe(429)
    expect(limitsOf(refused)).toMatchObject({ limit: 1, remaining: 0 })
    // SDKs ignore a longer wait; the reset tells how long it is.
    expect(refused.headers.get('retry-after')).toBe('60')
    const debtMs = (usage.total_tokens - 1) * 60_000
    expect(limitsOf(refused).reset! * 1_000 - Date.now()).toBeGreaterThan(debtMs - 5_000)
    expect(limitsOf(refused).reset! * 1_000 - Date.now()).toBeLessThan(debtMs + 5_000)
  })

  test('of a workspace that has no credit either answers 402', async () => {
    const { apiKey, workspaceId } = await service.createAccount(1n, { requestsPerMinute: 1 })
    await exhaust(apiKey, 1)
    expect(await service.balanceOf(workspaceId)).toBeLessThanOrEqual(0n)
    const refused = await chat(service, apiKey, {})
    expect(refused.status).toBe(402)
    expect(refused.headers.get('retry-after')).toBeNull()
  })

  test('of a key that has spent what it may answers 402', async () => {
    const { apiKey } = await service.createAccount(5_000_000n, { requestsPerMinute: 1, spendLimitMicros: 1n })
    await exhaust(apiKey, 1)
    const refused = await chat(service, apiKey, {})
    expect(await refused.json()).toMatchObject({ error: { code: 'key_spend_limit_reached' } })
  })
})

describe('the OpenAI SDK', () => {
  test('waits as long as it is told, and is then served', async () => {
    const { apiKey } = await service.createAccount(5_000_000n)
    const attempts: { status: number; atMs: number; retryAfterMs: number }[] = []
    const openai = new OpenAI({
      baseURL: service.baseUrl,
      apiKey,
      async fetch(url, init) {
        const response = await fetch(url, init)
        const retryAfterMs = Number(response.headers.get('retry-after-ms'))
        attempts.push({ status: response.status, atMs: performance.now(), retryAfterMs })
        return response
      },
    })
    // One comes back every second: as many at once as a minute allows, and the next has to wait.
    await exhaust(apiKey, 60)
    await vi.waitUntil(async () => {
      const { headers } = await chat(service, apiKey, {})
      return Number(headers.get('retry-after-ms')) > 500
    })
    const answer = await openai.chat.completions.create({ model, messages })
    expect(answer.choices).toHaveLength(1)
    expect(attempts.map(({ status }) => status)).toEqual([429, 200])
    const [refused, served] = attempts
    expect(refused!.retryAfterMs).toBeGreaterThan(0)
    expect(refused!.retryAfterMs).toBeLessThanOrEqual(1_000)
    expect(served!.atMs - refused!.atMs).toBeGreaterThanOrEqual(refused!.retryAfterMs - 5)
  })

  test('raises RateLimitError with code and headers when it may not wait', async () => {
    const { apiKey } = await service.createAccount(5_000_000n, { requestsPerMinute: 1 })
    await exhaust(apiKey, 1)
    const openai = new OpenAI({ baseURL: service.baseUrl, apiKey, maxRetries: 0 })
    const error = await openai.chat.completions.create({ model, messages, stream: true }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect((error as RateLimitError).headers?.get('x-ratelimit-limit')).toBe('1')
  })
})

test('what was refused is counted for the operator, by bucket', async () => {
  const count = async () => {
    const samples = await readMetrics(service.adminUrl)
    return valueIn(samples, 'router_limits_refused_total', { bucket: 'key_requests' }) ?? 0
  }
  const before = await count()
  const { apiKey } = await service.createAccount(5_000_000n, { requestsPerMinute: 1 })
  await exhaust(apiKey, 4)
  expect(await count()).toBe(before + 3)
})
