import OpenAI, { RateLimitError } from 'openai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readMetrics, valueIn } from './metrics.ts'
import { chat, type Service, startService } from './service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ limits: { requestsPerMinute: 60 } })
})

afterAll(() => service.stop())

const model = 'demo/tiny-chat'
const messages = [{ role: 'user' as const, content: 'Hello' }]

/** Uses a key's request bucket up. */
async function exhaust(apiKey: string, count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, () => chat(service, apiKey, {})))
  await Promise.all(answers.map((answer) => answer.text()))
}

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
