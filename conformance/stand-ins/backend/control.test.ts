import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Backend, createBackend } from './backend.ts'
import { chat, post } from './exchange.ts'
import { MAX_RULES } from './parse-script.ts'

let backend: Backend

beforeAll(async () => {
  backend = await createBackend({ paceMs: 0 })
})
beforeEach(async () => {
  await control('DELETE', '/script')
  await control('DELETE', '/requests')
})
afterAll(() => backend.close())

/** What the tests read of the control address's answers. */
interface Answer {
  readonly rules: readonly unknown[]
  readonly error: { readonly problems: readonly string[] }
  readonly open: number
  readonly accepted: number
}

async function control<Json = Answer>(method: string, path: string, body?: unknown) {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
  const response = await fetch(backend.controlUrl + path, init)
  return { status: response.status, json: (await response.json()) as Json }
}

async function statusOf(content: string, model = 'tiny-chat'): Promise<number> {
  return (await post(`${backend.url}/chat/completions`, chat(content, { model }))).status
}

test('a script is shown as it was put, and deleted', async () => {
  const script = { rules: [{ model: 'a', status: 503 }] }
  expect(await control('PUT', '/script', script)).toEqual({ status: 200, json: script })
  expect((await control('GET', '/script')).json).toEqual(script)
  await control('DELETE', '/script')
  expect((await control('GET', '/script')).json).toEqual({})
})

test('a rule that is put by its name makes room for itself: the oldest goes that has a name', async () => {
  const kept = { marker: 'needle', status: 501 }
  const rules = Array.from({ length: MAX_RULES - 1 }, (_, index) => ({ name: `old-${index}`, status: 502 }))
  await control('PUT', '/script', { rules: [...rules, kept] })
  const put = { name: 'new', status: 503 }
  expect(await control('PUT', '/script/new', { status: 503 })).toEqual({ status: 200, json: put })
  expect((await control('GET', '/script')).json.rules).toEqual([put, ...rules.slice(0, -1), kept])
})

test('a rule that is put by its name among a thousand without one answers 400 and changes nothing', async () => {
  const rules = Array.from({ length: MAX_RULES }, () => ({ status: 502 }))
  await control('PUT', '/script', { rules })
  const { status, json } = await control('PUT', '/script/new', { status: 503 })
  expect(status).toBe(400)
  expect(json.error.problems).toEqual([`rules must have at most ${MAX_RULES} entries`])
  expect((await control('GET', '/script')).json.rules).toEqual(rules)
})

test('a rule that is put by its name and cannot be played answers 400, says where, and changes nothing', async () => {
  const { status, json } = await control('PUT', '/script/new', { status: 99 })
  expect(status).toBe(400)
  expect(json.error.problems).toEqual(['rules[0].status must be a whole number from 200 to 599'])
  expect((await control('GET', '/script')).json).toEqual({})
})

test('the first rule whose conditions all hold answers', async () => {
  const rules = [
    { name: 'special', status: 501 },
    { model: 'a', marker: 'needle', status: 502 },
    { marker: 'needle', times: 1, status: 503 },
    { operation: 'embeddings', status: 504 },
  ]
  await control('PUT', '/script', { rules })
  expect(await statusOf('[script:special] needle', 'a')).toBe(501)
  expect(await statusOf('a needle', 'a')).toBe(502)
  expect(await statusOf('a needle', 'b')).toBe(503)
  expect(await statusOf('a needle', 'b')).toBe(200)
})

test('one rule is put in front by its name, and redefines those built in', async () => {
  expect(await statusOf('[script:busy]')).toBe(503)
  await control('PUT', '/script/busy', { status: 529 })
  await control('PUT', '/script/busy', { status: 530 })
  expect(await statusOf('[script:busy]')).toBe(530)
  expect((await control('GET', '/script')).json.rules).toHaveLength(1)
})

test('a script that nobody knows answers 400 and its name', async () => {
  const answer = await post(`${backend.url}/chat/completions`, chat('[script:absent]'))
  expect([answer.status, JSON.parse(answer.text).error.message]).toEqual([400, 'No script is called absent.'])
})

test.each([
  ['a member nobody knows', { rules: [{ chunk: 1 }] }, 'rules[0].chunk is unknown'],
  [
    'a status out of range',
    { rules: [{ status: 99 }] },
    'rules[0].status must be a whole number from 200 to 599',
  ],
  ['an unknown fault', { rules: [{ fault: { kind: 'explode' } }] }, 'rules[0].fault.kind must be one of'],
  [
    'a fault without its place',
    { rules: [{ fault: { kind: 'cut' } }] },
    'rules[0].fault.afterChunks is missing',
  ],
  ['an unknown usage shape', { rules: [{ usage: 'some' }] }, 'rules[0].usage must be one of final'],
  ['a header that cannot be sent', { rules: [{ headers: { 'a b': 'c' } }] }, 'rules[0].headers.a b'],
  ['chunks that are neither', { rules: [{ chunks: 'abc' }] }, 'rules[0].chunks must be a list, or'],
  ['rules that are no list', { rules: {} }, 'rules must be a list'],
  ['no object', [], 'the document must be an object'],
])('a script with %s answers 400 and changes nothing', async (_, script, problem) => {
  const { status, json } = await control('PUT', '/script', script)
  expect(status).toBe(400)
  expect(json.error.problems[0]).toContain(problem)
  expect((await control('GET', '/script')).json).toEqual({})
})

test('every problem of a script is told at once', async () => {
  const { json } = await control('PUT', '/script', { rules: [{ status: 1 }, { usage: 2 }], more: true })
  expect(json.error.problems).toHaveLength(3)
})

test('a control body that is no JSON answers 400, an unknown path 404', async () => {
  const broken = await fetch(`${backend.controlUrl}/script`, { method: 'PUT', body: '{' })
  expect(broken.status).toBe(400)
  expect((await control('GET', '/absent')).status).toBe(404)
})

test('requests are shown in order, verbatim, with headers and digest', async () => {
  const body = '{"model":"m", "big":12345678901234567890, "messages":[{"role":"user","content":"ä"}]}'
  await post(`${backend.url}/chat/completions`, body)
  await statusOf('second')
  const { json } = await control<{ path: string }[]>('GET', '/requests')
  expect(json.map(({ path }) => path)).toEqual(Array(2).fill('/v1/chat/completions'))
  expect(json[0]).toMatchObject({
    method: 'POST',
    body,
    bodySha256: createHash('sha256').update(body).digest('hex'),
    headers: { host: expect.stringContaining('127.0.0.1') },
    outcome: 'answered',
  })
  const some = await control<unknown[]>('GET', '/requests?contains=second')
  expect(some.json).toHaveLength(1)
})

test('connections are counted, and idle ones closed', async () => {
  await (await fetch(`${backend.url}/models`)).text()
  const before = (await control('GET', '/connections')).json
  expect(before.open).toBeGreaterThanOrEqual(1)
  expect(before.accepted).toBeGreaterThanOrEqual(before.open)
  await control('DELETE', '/connections')
  await expect.poll(async () => (await control('GET', '/connections')).json.open).toBe(0)
})
