import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../generated/limits.ts'
import { type Front, startFront } from './front.ts'
import { demoModel, type Service, startService } from './service.ts'
import { delta, END, startWaitingModel, type WaitingModel } from './waiting-model.ts'

const PING_MS = 250
const READ_TIMEOUT_SECONDS = 2

let model: WaitingModel
let service: Service
let apiKey: string

beforeAll(async () => {
  model = await startWaitingModel()
  service = await startService({
    models: () => [demoModel(model.url)],
    trustedProxies: ['127.0.0.1'],
    timers: { pingMs: PING_MS },
  })
  ;({ apiKey } = await service.createAccount(50_000_000n))
})

afterAll(async () => {
  await service.stop()
  model.close()
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
    model.waiting.length = 0
    const { statusCode, body } = await front.ask('/v1/chat/completions', asking('a word first'))
    expect(statusCode).toBe(200)
    const reader = body[Symbol.asyncIterator]()
    await readUntil(reader, /first/g)
    // The model goes on only now: whoever holds a token back for the next one would wait for ever.
    model.waiting[0]!.end(delta('second') + END)
    expect(await readUntil(reader, /\[DONE\]/g)).toContain('second')
  })

  test('cuts no stream whose model thinks for longer than it waits: the pings of the router pass', async () => {
    model.waiting.length = 0
    const { body } = await impatient.ask('/v1/chat/completions', asking('think'))
    const reader = body[Symbol.asyncIterator]()
    const pings = Math.ceil((READ_TIMEOUT_SECONDS * 1_000 * 1.5) / PING_MS)
    await readUntil(reader, /^:/gm, pings)
    model.waiting[0]!.end(delta('at last') + END)
    expect(await readUntil(reader, /\[DONE\]/g)).toContain('at last')
  })

  test('lets bodies of megabytes pass, and leaves it to the router to say what is too large', async () => {
    model.waiting.length = 0
    const small = asking('a word first')
    const large = { ...small, body: small.body.padEnd(1_200_000, ' ') }
    const { statusCode, body } = await front.ask('/v1/chat/completions', large)
    expect(statusCode).toBe(200)
    model.waiting[0]!.end(END)
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
