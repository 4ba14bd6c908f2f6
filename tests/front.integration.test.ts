import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../generated/limits.ts'
import { type Front, startFront } from './front.ts'
import { demoModel, type Service, startService } from './service.ts'

const PING_MS = 250
const READ_TIMEOUT_SECONDS = 2

let backend: Server
let service: Service
let apiKey: string
let waiting: ServerResponse[] = []

const event = (content: string) =>
  `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const END = `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n\ndata: [DONE]\n\n`

/** A model that says a word, or nothing, and then waits for the test. */
async function startBackend(): Promise<Server> {
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const asked = Buffer.concat(pieces).toString()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (asked.includes('a word first')) response.write(event('first'))
    else response.flushHeaders()
    waiting.push(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

beforeAll(async () => {
  backend = await startBackend()
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/v1`
  service = await startService({
    models: () => [demoModel(url)],
    trustedProxies: ['127.0.0.1'],
    timers: { pingMs: PING_MS },
  })
  ;({ apiKey } = await service.createAccount(50_000_000n))
})

afterAll(async () => {
  await service.stop()
  backend.closeAllConnections()
  backend.close()
})

describe('nginx', { tags: ['nginx'] }, () => standInFront('nginx'))
describe('caddy', { tags: ['caddy'] }, () => standInFront('caddy'))

function standInFront(program: 'nginx' | 'caddy'): void {
  let front: Front
  /** The same file with shorter times. */
  let impatient: Front

  beforeAll(async () => {
    const routerPort = Number(new URL(service.baseUrl).port)
    front = await startFront({ program, routerPort })
    impatient = await startFront({ program, routerPort, readTimeoutSeconds: READ_TIMEOUT_SECONDS })
  })

  afterAll(async () => {
    await front?.stop()
    await impatient?.stop()
  })

  const asking = (content: string) => ({
    method: 'POST' as const,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/tiny-chat', stream: true, messages: [{ role: 'user', content }] }),
  })

  /** Reads on until the text so far has what is looked for, so many times. */
  async function readUntil(reader: AsyncIterator<Buffer>, found: RegExp, times = 1): Promise<string> {
    let text = ''
    while ((text.match(found) ?? []).length < times) {
      const { value, done } = await reader.next()
      if (done) throw new Error(`it ended: ${text}`)
      text += String(value)
    }
    return text
  }

  test('hands a token on before the next one is there', async () => {
    waiting = []
    const { statusCode, body } = await front.ask('/v1/chat/completions', asking('a word first'))
    expect(statusCode).toBe(200)
    const reader = body[Symbol.asyncIterator]()
    await readUntil(reader, /first/g)
    // The model goes on only now: whoever holds a token back for the next one would wait for ever.
    waiting[0]!.end(event('second') + END)
    expect(await readUntil(reader, /\[DONE\]/g)).toContain('second')
  })

  test('cuts no stream whose model thinks for longer than it waits: the pings of the router pass', async () => {
    waiting = []
    const { body } = await impatient.ask('/v1/chat/completions', asking('think'))
    const reader = body[Symbol.asyncIterator]()
    const pings = Math.ceil((READ_TIMEOUT_SECONDS * 1_000 * 1.5) / PING_MS)
    await readUntil(reader, /^:/gm, pings)
    waiting[0]!.end(event('at last') + END)
    expect(await readUntil(reader, /\[DONE\]/g)).toContain('at last')
  })

  test('lets bodies of megabytes pass, and leaves it to the router to say what is too large', async () => {
    waiting = []
    const small = asking('a word first')
    const large = { ...small, body: small.body.padEnd(1_200_000, ' ') }
    const { statusCode, body } = await front.ask('/v1/chat/completions', large)
    expect(statusCode).toBe(200)
    waiting[0]!.end(END)
    expect(await body.text()).toContain('[DONE]')
    const tooLarge = await front.ask('/v1/chat/completions', asking('x'.repeat(limits.maxBodyBytes)))
    expect(tooLarge.statusCode).toBe(413)
    expect(await tooLarge.body.json()).toMatchObject({ error: { code: 'request_too_large' } })
  })

  test('tells the router who calls, and passes nobody’s word for it on', async () => {
    const statuses: number[] = []
    for (let index = 0; index < limits.invitationLookupsPerMinute * 2; index++) {
      const headers = { 'x-forwarded-for': `203.0.113.${index}` }
      const { statusCode, body } = await front.ask('/v1/invites/NOBODY-KNOWS', { headers })
      await body.dump()
      statuses.push(statusCode)
    }
    expect(statuses).toContain(429)
  })

  test('waits longer for an answer than the router does for a backend, in the file as it is', () => {
    const file = program === 'nginx' ? 'nginx/router.conf' : 'caddy/Caddyfile'
    const text = readFileSync(join(import.meta.dirname, '..', 'deploy', file), 'utf8')
    const [, seconds] = /(?:proxy_read_timeout|response_header_timeout) (\d+)s/.exec(text)!
    expect(Number(seconds) * 1_000).toBeGreaterThan(limits.firstByteTimeoutMs)
  })
}
