import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { limits } from '#contract/limits'
import { chat } from './service.ts'
import { startWorld, type World } from './upstream.ts'

const SITE = 'https://docs.example/router'

let world: World
/** Of a router that knows of a site. */
let baseUrl: string

beforeAll(async () => {
  world = await startWorld({ console: {} })
  baseUrl = await world.startReplica({ docsUrl: SITE })
})

afterAll(() => world.stop())

const linkOf = ({ headers }: Response) => headers.get('link')
const pageOf = (code: string) => `<${SITE}/errors/${code}.html>; rel="help"`
const post = (path: string) => fetch(path, { method: 'POST', body: '{}' })

test.each<[string, string, (base: string) => Promise<Response>]>([
  ['a chat without a key', 'invalid_api_key', (base) => post(`${base}/chat/completions`)],
  ['the same, spelt otherwise', 'invalid_api_key', (base) => post(`${base}/chat/completions?x=1`)],
  ['a path that there is not', 'not_found', (base) => fetch(`${base}/nothing`)],
  [
    'a call of the console by nobody',
    'session_required',
    (base) => fetch(new URL('/console/api/me', base), { headers: { 'sec-fetch-site': 'same-origin' } }),
  ],
])(
  '%s is told where %s is explained, and by a router that knows of no site it is not',
  async (_, code, ask) => {
    const response = await ask(baseUrl)
    expect((await response.json()) as object).toMatchObject({ error: { code } })
    expect(linkOf(response)).toBe(pageOf(code))
    expect(linkOf(await ask(world.baseUrl))).toBeNull()
  },
)

test('what is no request is told the page of its code as well', async () => {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').end('hello\r\n\r\n')
  expect(await text(socket)).toContain(`\r\nLink: ${pageOf('invalid_json')}\r\n`)
})

test('evidence that is asked for too often is told so with its page', async () => {
  // At once: the budget fills up again while a slow machine asks.
  const many = Array.from({ length: 3 * limits.evidencePerMinute }, async () => {
    const response = await fetch(`${baseUrl}/evidence/nobody`)
    await response.arrayBuffer()
    return `${response.status} ${linkOf(response)}`
  })
  const told = new Set(await Promise.all(many))
  // A refusal of its own form has no code.
  expect(told).toEqual(new Set(['404 null', `429 ${pageOf('rate_limit_exceeded')}`]))
})

test('a verifier’s refusal is told the page of its reason as well', async () => {
  await world.register([])
  await world.untilListed(false, baseUrl)
  const links = `${pageOf('attestation_failed')}, <${SITE}/reasons/policy/no_pins.html>; rel="help"`
  await vi.waitFor(async () => expect(linkOf(await world.ask({}, baseUrl))).toBe(links), { timeout: 20_000 })
})

test('an answer that is no error says nothing of it', async () => {
  const response = await chat({ baseUrl }, world.apiKey, {})
  expect(response.status).toBe(200)
  expect(linkOf(response)).toBeNull()
})
