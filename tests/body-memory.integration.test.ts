import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readMetrics, valueIn } from './metrics.ts'
import { type Account, type Service, startService } from './service.ts'

const MAX_BODY_BYTES = 1_000_000

let service: Service
let hostile: Account
let payer: Account
const sockets: Socket[] = []

beforeAll(async () => {
  service = await startService({
    // Large ones have 3.5 MB, a workspace of them the 1 MB of one largest body, small ones 500 kB.
    limits: { maxBodyBytes: MAX_BODY_BYTES, bodyMemoryBytes: 4_000_000 },
  })
  hostile = await service.createAccount(5_000_000n)
  payer = await service.createAccount(5_000_000n)
})

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

afterAll(() => service.stop())

const body = (padding: number) =>
  JSON.stringify({
    model: 'demo/tiny-chat',
    messages: [{ role: 'user', content: 'Hello' }],
    padding: 'x'.repeat(padding),
  })

const send = ({ apiKey }: Account, text: string) =>
  fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: text,
  })

/** Sends all but the last bytes of a body, and leaves it at that. */
function begin({ apiKey }: Account, bytes: number): void {
  const { port, pathname } = new URL(service.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  socket.write(
    `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: ${bytes + 100}\r\n\r\n${body(bytes).slice(0, bytes)}`,
  )
}

async function usedBytes(pool: string): Promise<number> {
  const metrics = await readMetrics(service.adminUrl)
  return valueIn(metrics, 'router_bodies_memory_used', { pool }) ?? 0
}

test('a workspace that fills its share is refused, and nobody else notices', async () => {
  for (let count = 0; count < 3; count++) begin(hostile, 300_000)
  await vi.waitFor(async () => expect(await usedBytes('large')).toBeGreaterThan(890_000))
  const [own, large, small, ownSmall] = await Promise.all([
    send(hostile, body(500_000)),
    send(payer, body(500_000)),
    send(payer, body(10)),
    send(hostile, body(10)),
  ])
  expect([large.status, small.status, ownSmall.status]).toEqual([200, 200, 200])
  expect(own.status).toBe(503)
  expect(own.headers.get('retry-after')).toBe('1')
  expect(own.headers.get('x-should-retry')).toBe('true')
  expect(await own.json()).toMatchObject({ error: { type: 'server_error', code: 'overloaded' } })
})

test('memory is given back when whoever has it leaves', async () => {
  begin(hostile, 300_000)
  await vi.waitFor(async () => expect(await usedBytes('large')).toBeGreaterThan(0))
  for (const socket of sockets.splice(0)) socket.destroy()
  await vi.waitFor(async () => expect(await usedBytes('large')).toBe(0))
})

test.each([
  ['without credit', 0n, {}, 402, 'insufficient_credits'],
  ['over its spend limit', 5_000_000n, { spendLimitMicros: 0n }, 402, 'key_spend_limit_reached'],
  ['that was revoked', 5_000_000n, { expiresAt: new Date('2020-01-01') }, 401, 'api_key_expired'],
])('a large body of a key %s is refused before it is read', async (_, balance, settings, status, code) => {
  const account = await service.createAccount(balance, settings)
  const { port, pathname } = new URL(service.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  sockets.push(socket)
  socket.write(
    `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${account.apiKey}\r\nContent-Length: 900000\r\n\r\n{`,
  )
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer).toContain(code)
})

test('what a large body takes from the request buckets stays taken when the body is no good', async () => {
  const account = await service.createAccount(5_000_000n, { requestsPerMinute: 2 })
  const bad = `{"n":2,${body(100_000).slice(1)}`
  const statuses = []
  for (let count = 0; count < 3; count++) statuses.push((await send(account, bad)).status)
  expect(statuses).toEqual([400, 400, 429])
})

test('a large body that is good takes one from the buckets, like any other', async () => {
  const account = await service.createAccount(5_000_000n, { requestsPerMinute: 3 })
  const left = []
  for (let count = 0; count < 3; count++) {
    const response = await send(account, body(100_000))
    expect(response.status).toBe(200)
    left.push(response.headers.get('x-ratelimit-remaining'))
    await response.text()
  }
  expect(left).toEqual(['2', '1', '0'])
})

test('a spend limit that only holds are in the way of says when to come back', async () => {
  const account = await service.createAccount(5_000_000n, { spendLimitMicros: 1n })
  await service.backend.play({ rules: [{ beforeHeadersMs: 60_000 }] })
  const controller = new AbortController()
  const first = fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}` },
    body: body(10),
    signal: controller.signal,
  }).catch(() => undefined)
  await vi.waitFor(async () => {
    const [row] = await service.sql<{ count: bigint }[]>`
      select count(*) as count from holds where key_id = ${account.keyId}`
    expect(row!.count).toBe(1n)
  })
  const held = await send(account, body(10))
  expect([held.status, held.headers.get('retry-after')]).toEqual([402, '1'])
  expect(await held.json()).toMatchObject({ error: { code: 'key_spend_limit_reached' } })
  controller.abort()
  await first
  await service.backend.play({})
  await service.sql`update api_keys set spent_micros = 1 where id = ${account.keyId}`
  await vi.waitFor(async () => {
    const spent = await send(account, body(10))
    expect([spent.status, spent.headers.get('retry-after')]).toEqual([402, null])
  })
})
