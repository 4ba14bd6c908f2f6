// @module-tag redis-server

import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { startRedis, type TestRedis } from '../server/limits/testing.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { chat, createAccount } from './service.ts'

const nonce = () => randomBytes(8).toString('hex')
const PROMPT = `CANARYPROMPT${nonce()}`
const ANSWER = `CANARYANSWER${nonce()}`
const STRANGE_KEY = `sk-tee-v1-CANARY${randomBytes(32).toString('base64url').slice(0, 37)}`

let server: TestServer
let redis: TestRedis
let backend: Backend
let sql: Sql
let databaseUrl: string
const folder = mkdtempSync(join(tmpdir(), 'canary-'))
const routers: RouterProcess[] = []
const metrics: string[] = []
const buckets: string[] = []

beforeAll(async () => {
  ;[server, redis] = await Promise.all([startTestServer(), startRedis()])
  ;({ url: databaseUrl, sql } = await server.open())
  backend = await createBackend({ paceMs: 5 })
  const error = { message: `You said ${PROMPT}`, type: PROMPT, param: PROMPT, code: 400 }
  await backend.play({
    rules: [
      { name: 'refuse-400', status: 400, error },
      { name: 'refuse-500', status: 500, error },
      { name: 'in-band', chunks: [ANSWER], fault: { kind: 'error', afterChunks: 1 }, error },
      { name: 'broken', chunks: [ANSWER], fault: { kind: 'malformed', afterChunks: 1, data: ANSWER } },
      { name: 'page', body: `<html>${ANSWER}`, headers: { 'content-type': 'text/html', 'x-canary': ANSWER } },
      { name: 'odd', finishReason: ANSWER, chunks: [ANSWER], fields: { canary: ANSWER } },
      { name: 'endless', chunks: Array<string>(2_000).fill(ANSWER), betweenChunksMs: 20 },
      { chunks: [ANSWER, ANSWER] },
    ],
  })
})

afterAll(async () => {
  await Promise.all(routers.map((router) => router.kill()))
  await backend.close()
  await redis.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function startRouter(): Promise<RouterProcess> {
  const router = await startRouterProcess(databaseUrl, backend.url, { folder, redisUrl: redis.url })
  routers.push(router)
  return router
}

const saying = (script: string) => ({ messages: [{ role: 'user', content: `${PROMPT} [script:${script}]` }] })
const plain = { messages: [{ role: 'user', content: PROMPT }] }

/** Sends it and reads whatever comes back. */
async function send(url: string, apiKey: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

/** Every way in which a request may end well or be refused. */
async function succeedAndFail({ baseUrl }: RouterProcess, apiKey: string, poorKey: string): Promise<void> {
  const url = `${baseUrl}/chat/completions`
  const model = 'demo/tiny-chat'
  for (const stream of [false, true]) {
    const whole = await send(url, apiKey, { model, stream, user: PROMPT, canary: PROMPT, ...plain })
    expect(whole.status).toBe(200)
    expect(whole.text).toContain(ANSWER)
    for (const script of ['refuse-400', 'refuse-500', 'in-band', 'broken', 'page', 'odd']) {
      await send(url, apiKey, { model, stream, ...saying(script) })
    }
  }
  await send(`${baseUrl}/completions`, apiKey, { model, prompt: PROMPT })
  await send(`${baseUrl}/embeddings`, apiKey, { model, input: [PROMPT] })
  const refused = [
    send(url, apiKey, `{"model":"${PROMPT}`),
    send(url, apiKey, { model: PROMPT, messages: [{ role: 'user', content: PROMPT }] }),
    send(url, apiKey, { model, messages: PROMPT }),
    send(url, apiKey, { model, temperature: PROMPT, ...plain }),
    send(url, poorKey, { model, ...plain }),
    send(url, STRANGE_KEY, { model, ...plain }),
    send(url, `${apiKey}x`, { model, ...plain }),
    send(`${baseUrl}/${PROMPT}?key=${apiKey}&prompt=${PROMPT}`, apiKey, {}),
    send(`${baseUrl}/${apiKey}`, apiKey, {}, { 'x-api-key': apiKey, cookie: `key=${apiKey}` }),
  ]
  for (const answer of refused) expect((await answer).status).toBeGreaterThanOrEqual(400)
  // A key in the place of a request id is given back, as any id is, but not written down.
  await send(url, apiKey, { model, ...plain }, { 'x-request-id': apiKey })
}

/** Begins a stream, and leaves it when it is told to. */
async function beginEndless({ baseUrl }: RouterProcess, apiKey: string) {
  const left = new AbortController()
  const response = await chat(
    { baseUrl },
    apiKey,
    { stream: true, ...saying('endless') },
    { signal: left.signal },
  )
  await response.body!.getReader().read()
  return left
}

async function settled(): Promise<void> {
  await vi.waitFor(async () => expect((await verifyLedger(sql)).open_holds).toBe(0), {
    timeout: 30_000,
    interval: 250,
  })
}

/** All that the shared buckets hold. */
async function readRedis(): Promise<string> {
  const client = await createClient({ url: redis.url }).connect()
  const keys = await client.keys('*')
  const values = await client.mGet(keys)
  client.destroy()
  return JSON.stringify([keys, values])
}

/** A text as it is, in hex, and in base64 wherever within a longer text it stands. */
function formsOf(text: string): string[] {
  const shifted = [0, 1, 2].map((shift) => {
    const base64 = Buffer.from(' '.repeat(shift) + text).toString('base64')
    return base64.slice(shift === 0 ? 0 : 4, -4)
  })
  return [text, Buffer.from(text).toString('hex'), ...shifted]
}

function filesIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Where a text stands, plainly or encoded, in all that the service has left behind. */
function tracesOf(text: string): string[] {
  const needles = formsOf(text).map((form) => Buffer.from(form))
  const holds = (bytes: Buffer) => needles.some((needle) => bytes.includes(needle))
  const among = (name: string, texts: readonly string[]) =>
    texts.flatMap((one, index) => (holds(Buffer.from(one)) ? [`${name} ${index}`] : []))
  const files = [...filesIn(dirname(server.embedded.databaseDir)), ...filesIn(folder)]
  return [
    ...files.filter((file) => holds(readFileSync(file))),
    ...among(
      'log',
      routers.map((router) => router.log()),
    ),
    ...among('metrics', metrics),
    ...among('buckets', buckets),
  ]
}

test('a key, a prompt and an answer leave no trace, whether a request succeeds, fails, is left or crashes', async () => {
  const account = await createAccount(sql, 5_000_000n)
  const poor = await createAccount(sql, 0n)
  const router = await startRouter()
  await succeedAndFail(router, account.apiKey, poor.apiKey)

  const left = await beginEndless(router, account.apiKey)
  left.abort()
  await settled()

  // The database goes away under a request, and comes back; errors with their causes are logged.
  await beginEndless(router, account.apiKey)
  process.kill(server.embedded.pid()!, 'SIGKILL')
  await vi.waitUntil(() => server.embedded.pid() === undefined, { timeout: 5_000 })
  const failing = chat(router, account.apiKey, plain)
  expect((await failing).status).toBe(500)
  await server.embedded.ensureRunning()

  // The router dies in the middle of an answer.
  await beginEndless(router, account.apiKey)
  metrics.push(await (await fetch(`${router.adminUrl}/metrics`)).text())
  await router.kill()
  const next = await startRouter()
  await succeedAndFail(next, account.apiKey, poor.apiKey)
  metrics.push(await (await fetch(`${next.adminUrl}/metrics`)).text())
  await beginEndless(next, account.apiKey)
  expect(await next.stop()).toBe(0)
  buckets.push(await readRedis())
  await sql`checkpoint`

  // What must be there is found by the same search, so that it is known to see.
  const [generation] = await sql<{ id: string }[]>`select id from generations limit 1`
  expect(tracesOf(generation!.id).length).toBeGreaterThanOrEqual(2)
  expect(tracesOf(account.apiKey.slice(0, 12)).some((place) => place.startsWith('/'))).toBe(true)
  expect(tracesOf('request failed')).toContain('log 0')
  expect(tracesOf('gen_ai_server_request_duration_count')).toEqual(['metrics 0', 'metrics 1'])
  expect(tracesOf(account.workspaceId).some((file) => file.includes('pg_wal'))).toBe(true)
  expect(tracesOf(account.keyId)).toContain('buckets 0')
  expect(backend.requests(PROMPT).length).toBeGreaterThan(10)

  for (const canary of [
    PROMPT,
    ANSWER,
    STRANGE_KEY.slice(12),
    account.apiKey.slice(12),
    poor.apiKey.slice(12),
  ]) {
    expect(tracesOf(canary)).toEqual([])
  }
})
