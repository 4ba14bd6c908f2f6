import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readMetrics, valueIn } from './metrics.ts'
import { type Account, chat, type Service, startService } from './service.ts'

/** One workspace may have sixteen of them. */
const MAX_REQUESTS = 20
const MOST_OF_ONE = 16

let service: Service
let hostile: Account
let payer: Account
let leave = new AbortController()

beforeAll(async () => {
  service = await startService({ limits: { maxRequests: MAX_REQUESTS } })
  hostile = await service.createAccount(5_000_000n)
  payer = await service.createAccount(5_000_000n)
  // From the first request on it is known whose their keys are.
  for (const { apiKey } of [hostile, payer]) await (await chat(service, apiKey, {})).text()
})

afterEach(async () => {
  leave.abort()
  leave = new AbortController()
  await service.backend.play({})
  await vi.waitFor(async () => expect(await held()).toBe(0))
})

afterAll(() => service.stop())

async function held(): Promise<number | undefined> {
  return valueIn(await readMetrics(service.adminUrl), 'router_requests_held', { stage: 'held' })
}

const shed = async () =>
  valueIn(await readMetrics(service.adminUrl), 'router_requests_shed_total', { stage: 'held' }) ?? 0

/** Opens streams one after the other, and gives the answer of each. */
async function open({ apiKey }: Account, count: number): Promise<Response[]> {
  const answers: Response[] = []
  for (let index = 0; index < count; index++) {
    answers.push(await chat(service, apiKey, { stream: true }, { signal: leave.signal }))
  }
  return answers
}

test('a workspace that floods is refused, its streams end as they should, and another one is served', async () => {
  await service.backend.play({ rules: [{ chunks: 100, betweenChunksMs: 60 }] })
  const before = await shed()
  const answers = await open(hostile, MAX_REQUESTS)
  const statuses = answers.map(({ status }) => status)
  expect(statuses).toEqual(statuses.toSorted((a, b) => a - b))
  expect(statuses.filter((status) => status === 200)).toHaveLength(MOST_OF_ONE)
  for (const refused of answers.slice(MOST_OF_ONE)) {
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-should-retry')).toBe('true')
    expect(refused.headers.get('x-request-id')).not.toBeNull()
    expect(refused.headers.get('x-router-generation-id')).toBeNull()
    expect(await refused.json()).toMatchObject({ error: { type: 'server_error', code: 'overloaded' } })
  }
  expect((await shed()) - before).toBe(MAX_REQUESTS - MOST_OF_ONE)
  const paid = await chat(service, payer.apiKey, {})
  expect(paid.status).toBe(200)
  await paid.text()
  for (const stream of answers.slice(0, MOST_OF_ONE)) {
    const text = await stream.text()
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    expect(text).not.toContain('error')
  }
  expect((await chat(service, hostile.apiKey, {})).status).toBe(200)
  expect((await service.verify()).differences).toEqual([])
})

test('a request that is one too many is refused before its body is there, and leaves no record', async () => {
  await service.backend.play({ rules: [{ beforeHeadersMs: 60_000 }] })
  const waiting = Array.from({ length: MOST_OF_ONE }, () =>
    chat(service, hostile.apiKey, {}, { signal: leave.signal }).catch(() => undefined),
  )
  await vi.waitFor(async () => expect(await held()).toBe(MOST_OF_ONE))
  const generations = async () =>
    (await service.sql<{ count: bigint }[]>`select count(*) as count from holds`)[0]!.count
  await vi.waitFor(async () => expect(await generations()).toBe(BigInt(MOST_OF_ONE)))
  const { port, pathname } = new URL(service.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${hostile.apiKey}\r\nContent-Length: 1000\r\n\r\n{`,
  )
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  socket.destroy()
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toContain('overloaded')
  expect(await generations()).toBe(BigInt(MOST_OF_ONE))
  leave.abort()
  await Promise.all(waiting)
})

test('a key of the wrong form is told so, whatever is under way', async () => {
  await service.backend.play({ rules: [{ beforeHeadersMs: 60_000 }] })
  for (let count = 0; count < MOST_OF_ONE; count++) {
    void chat(service, hostile.apiKey, {}, { signal: leave.signal }).catch(() => undefined)
  }
  await vi.waitFor(async () => expect(await held()).toBe(MOST_OF_ONE))
  expect((await chat(service, 'nonsense', {})).status).toBe(401)
  expect((await chat(service, hostile.apiKey, {})).status).toBe(503)
})
