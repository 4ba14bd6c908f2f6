import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeOf } from './pace.ts'
import { type Account, chat, demoModel, type Service, startService } from './service.ts'

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url),
      demoModel(url, {
        id: 'demo/other',
        backends: [{ url, model: 'other', apiKey: undefined, usage: 'final' }],
      }),
    ],
  })
  account = await service.createAccount(500_000_000n)
})

afterAll(() => service.stop())

/** Sends a streaming chat as a client that would take any encoding, and tells when each part of it arrived. */
async function arrivals(content: string): Promise<{ headers: IncomingMessage['headers']; atMs: number[] }> {
  const messages = [{ role: 'user', content }]
  const body = JSON.stringify({ model: 'demo/tiny-chat', messages, stream: true })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${account.apiKey}`,
      'content-type': 'application/json',
      'accept-encoding': 'gzip, deflate, br, zstd',
    }
    const request = httpRequest(`${service.baseUrl}/chat/completions`, {
      method: 'POST',
      headers,
      agent: false,
    })
    request.on('response', resolve).on('error', reject)
    request.end(body)
  })
  const atMs: number[] = []
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
    for (const _ of part.matchAll(/"content":"[^"]/g)) atMs.push(performance.now())
  }
  return { headers: response.headers, atMs }
}

test('chunks arrive as they are sent, each by itself and none held back', async () => {
  const gapMs = 300
  await service.backend.play({ rules: [{ chunks: 10, betweenChunksMs: gapMs }] })
  const begun = performance.now()
  const { headers, atMs } = await arrivals('Hello')
  await service.backend.play({})
  expect(headers).not.toHaveProperty('content-encoding')
  expect(headers).toMatchObject({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
  expect(atMs).toHaveLength(10)
  // The first comes long before the last was even sent; on a busy machine one may catch up with another.
  expect(atMs[0]! - begun).toBeLessThan((atMs.at(-1)! - begun) / 2)
  const gaps = atMs.slice(1).map((at, index) => at - atMs[index]!)
  expect(gaps.filter((gap) => gap > gapMs / 3).length).toBeGreaterThanOrEqual(7)
  expect(atMs.at(-1)! - atMs[0]!).toBeGreaterThan(8 * gapMs)
})

test('a model whose backend is silent holds no other model up', async () => {
  await service.backend.play({ rules: [{ model: 'other', fault: { kind: 'silence' } }] })
  const left = new AbortController()
  const ask = () => Promise.all([1, 2, 3].map(() => chat(service, account.apiKey, {})))
  const usualMs = await timeOf(ask)
  const waiting = Array.from({ length: 200 }, () =>
    chat(service, account.apiKey, { model: 'demo/other' }, { signal: left.signal }).catch(() => undefined),
  )
  while (service.backend.connections().inFlight < 200) await new Promise((resolve) => setTimeout(resolve, 10))
  const begun = performance.now()
  const answers = await ask()
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(performance.now() - begun).toBeLessThan(Math.max(2_000, 10 * usualMs))
  left.abort()
  await Promise.all(waiting)
  await service.backend.play({})
})
