import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readMetrics, valueIn } from './metrics.ts'
import { type Account, type Service, startService } from './service.ts'

const MIB = 1_048_576

let service: Service
let hostile: Account
let payer: Account

beforeAll(async () => {
  service = await startService()
  hostile = await service.createAccount(5_000_000n)
  payer = await service.createAccount(5_000_000n)
})

afterAll(() => service.stop())

/** A body of about so many bytes that is read to its end. */
const body = (bytes: number, more = '') =>
  `{"model":"demo/tiny-chat"${more},"messages":[{"role":"user","content":"Hello"}],"padding":[${'[],'.repeat(bytes / 3)}1]}`

function send({ apiKey }: Account, text: string): Promise<Response> {
  return fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: text,
  })
}

/** Sends a whole body and does not wait for its answer. */
function begin({ apiKey }: Account, text: string): Socket {
  const { port, pathname } = new URL(service.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(
    `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
  return socket
}

async function metric(name: string, labels = {}): Promise<number> {
  return valueIn(await readMetrics(service.adminUrl), name, labels) ?? 0
}

async function allReturned(): Promise<void> {
  await vi.waitFor(async () => {
    expect(await metric('router_bodies_memory_used', { pool: 'large' })).toBe(0)
    expect(await metric('router_bodies_queued')).toBe(0)
  })
}

test('a large body is served as a small one, and refused in the same words', async () => {
  const large = await send(payer, body(MIB))
  expect(large.status).toBe(200)
  expect(await large.json()).toMatchObject({ object: 'chat.completion' })
  const [one, other] = await Promise.all(
    [100, MIB].map(async (bytes) => {
      const response = await send(payer, body(bytes, ',"n":2'))
      return [response.status, await response.json()]
    }),
  )
  expect(one).toEqual(other)
  expect(one).toMatchObject([400, { error: { param: 'n' } }])
})

test('senders who leave while their bodies are read, or wait to be, leave nothing behind', async () => {
  const text = body(MIB)
  for (let round = 0; round < 3; round++) {
    const sockets = Array.from({ length: 8 }, () => begin(hostile, text))
    await vi.waitFor(async () =>
      expect(await metric('router_bodies_memory_used', { pool: 'large' })).toBeGreaterThan(2 * MIB),
    )
    for (const socket of sockets) socket.resetAndDestroy()
    await allReturned()
  }
  expect((await send(payer, body(MIB))).status).toBe(200)
  expect(await metric('router_bodies_unread_total', { cause: 'died' })).toBe(0)
})

test('another one is served beside 200 connections that each send a little more than a MiB', async () => {
  const text = body(MIB + 3, ',"n":2')
  const answered: Promise<string>[] = Array.from({ length: 200 }, () => {
    const socket = begin(hostile, text)
    return new Promise((resolve) => socket.once('data', (data) => resolve(String(data).slice(9, 12))))
  })
  const beside = await Promise.all(Array.from({ length: 5 }, () => send(payer, body(MIB))))
  expect(beside.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const statuses = new Set(await Promise.all(answered))
  // Read and refused, or told when to come back.
  expect([...statuses].filter((status) => status !== '400' && status !== '503')).toEqual([])
  await allReturned()
})
