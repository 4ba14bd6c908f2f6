import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isErrorBody } from '#contract/validators/error-body'
import { type Account, chat, demoModel, type Service, startService } from './service.ts'

const MAX_BODY_BYTES = 200_000

let service: Service
let account: Account

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url),
      demoModel(url, { id: 'embed', capabilities: ['embeddings'] }),
      demoModel(url, { id: 'out-of-scope' }),
    ],
    limits: { maxBodyBytes: MAX_BODY_BYTES },
    corsOrigins: ['https://app.example'],
  })
  account = await service.createAccount(5_000_000n, { modelScope: ['demo/tiny-chat', 'embed'] })
})

afterAll(() => service.stop())

const messages = [{ role: 'user', content: 'Hello' }]

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly error: { readonly code: string; readonly param?: string; readonly message: string }
  }
}

/** Posts raw text, shows that nothing reached the backend and that no hold or record was made. */
async function refusalOf(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  service.backend.clearRequests()
  const response = await fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const answer = { status: response.status, headers: response.headers, body: await response.json() } as Answer
  expect(isErrorBody(answer.body)).toBe(true)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('x-request-id')).toMatch(/^req-/)
  expect(answer.headers.get('x-router-generation-id')).toBeNull()
  expect(service.backend.requests()).toEqual([])
  expect(await service.sql`select from holds`).toHaveLength(0)
  return answer
}

test.each([
  ['', 'invalid_json'],
  ['{"model":', 'invalid_json'],
  ['[]', 'invalid_json'],
  ['null', 'invalid_json'],
  ['"text"', 'invalid_json'],
  ['{"model":"demo/tiny-chat",}', 'invalid_json'],
  ['\ufeff{}', 'invalid_json'],
])('a body %j that is no JSON object answers 400 invalid_json', async (body, code) => {
  expect(await refusalOf(body)).toMatchObject({ status: 400, body: { error: { code } } })
})

test('a body that is not UTF-8 answers 400 invalid_json', async () => {
  const bytes = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  expect(await refusalOf(bytes)).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } })
})

test.each([
  [{ messages }, 'model'],
  [{ model: null, messages }, 'model'],
  [{ model: '', messages }, 'model'],
  [{ model: 5, messages }, 'model'],
  [{ model: 'demo/tiny-chat' }, 'messages'],
  [{ model: 'demo/tiny-chat', messages: null }, 'messages'],
  [{ model: 'demo/tiny-chat', messages: [] }, 'messages'],
  [{ model: 'demo/tiny-chat', messages: 'Hello' }, 'messages'],
])('%j answers 400 missing_field naming the field', async (body, param) => {
  expect(await refusalOf(JSON.stringify(body))).toMatchObject({
    status: 400,
    body: { error: { code: 'missing_field', param } },
  })
})

test.each([
  [{ n: 2 }, 'n'],
  [{ n: 0 }, 'n'],
  [{ n: '1' }, 'n'],
  [{ stream: 'yes' }, 'stream'],
  [{ stream_options: [] }, 'stream_options'],
  [{ stream_options: { include_usage: 'yes' } }, 'stream_options'],
  [{ temperature: 2.1 }, 'temperature'],
  [{ temperature: '1' }, 'temperature'],
  [{ top_p: -0.1 }, 'top_p'],
  [{ max_tokens: 0 }, 'max_tokens'],
  [{ max_tokens: 1.5 }, 'max_tokens'],
  [{ max_completion_tokens: -1 }, 'max_completion_tokens'],
  [{ max_tokens: 5, max_completion_tokens: 6 }, 'max_tokens'],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  [{ stop: 7 }, 'stop'],
  [{ seed: 'x' }, 'seed'],
  [{ tools: {} }, 'tools'],
  [{ tool_choice: 1 }, 'tool_choice'],
  [{ response_format: 'json' }, 'response_format'],
  [{ user: 7 }, 'user'],
  [{ Temperature: 1 }, 'Temperature'],
  [{ MODEL: 'x' }, 'MODEL'],
])('%j answers 400 unsupported_parameter naming the field', async (fields, param) => {
  const body = JSON.stringify({ model: 'demo/tiny-chat', messages, ...fields })
  expect(await refusalOf(body)).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_parameter', param } },
  })
})

test('a field that stands twice answers 400 unsupported_parameter, however it is spelt', async () => {
  for (const body of [
    '{"model":"demo/tiny-chat","model":"other","messages":[1]}',
    '{"model":"demo/tiny-chat","mod\\u0065l":"other","messages":[1]}',
    '{"x":1,"model":"demo/tiny-chat","messages":[1],"x":2}',
  ]) {
    expect(await refusalOf(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_parameter' } },
    })
  }
})

test('a null in an honoured field counts as absent, and unknown fields reach the backend unchanged', async () => {
  service.backend.clearRequests()
  const fields =
    '"temperature":null,"n":null,"stop":null,"big":12345678901234567890,"one":1.0,"x":{"ü":[1.50]}'
  const response = await fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `bearer ${account.apiKey}` },
    body: `{"model":"demo/tiny-chat","messages":[{"role":"user","content":"Hello"}],${fields}}`,
  })
  expect(response.status).toBe(200)
  expect(service.backend.requests()[0]?.body).toContain(fields)
})

test('a model that is not served answers 404, and one outside the key’s scope 403, before its fields are judged', async () => {
  const unknown = await refusalOf(JSON.stringify({ model: 'absent', messages, n: 2 }))
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'model_not_found', param: 'model' } } })
  const outside = await refusalOf(JSON.stringify({ model: 'out-of-scope', messages, n: 2 }))
  expect(outside).toMatchObject({ status: 403, body: { error: { code: 'model_not_in_key_scope' } } })
  const valid = await refusalOf(JSON.stringify({ model: 'out-of-scope', messages }))
  expect(valid).toMatchObject({ status: 403, body: { error: { code: 'model_not_in_key_scope' } } })
})

test('a model without the route’s capability answers 400 naming the model', async () => {
  expect(await refusalOf(JSON.stringify({ model: 'embed', messages }))).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_parameter', param: 'model' } },
  })
})

test.each<[string, Record<string, string>]>([
  ['no key', {}],
  ['another scheme', { authorization: 'Basic c2s6' }],
  ['half a key', { authorization: 'Bearer sk-tee-v1-abc' }],
  ['a key of nobody', { authorization: `Bearer sk-tee-v1-${'B'.repeat(42)}A` }],
  ['a cookie', { cookie: 'key=1' }],
])('%s answers 401 invalid_api_key and tells how to send one, whatever the body', async (_, headers) => {
  for (const body of ['{', JSON.stringify({ model: 'demo/tiny-chat', messages })]) {
    const response = await fetch(`${service.baseUrl}/chat/completions`, {
      method: 'POST',
      headers,
      body,
    })
    expect(response.status).toBe(401)
    const answer = (await response.json()) as Answer['body']
    expect(answer.error).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' })
    expect(answer.error.message).toContain('Authorization: Bearer')
  }
  expect((await fetch(`${service.baseUrl}/models?api_key=${account.apiKey}`, { headers })).status).toBe(401)
})

test('a revoked and an expired key say so, from the next request on', async () => {
  const other = await service.createAccount(5_000_000n)
  expect((await chat(service, other.apiKey, {})).status).toBe(200)
  await service.sql`update api_keys set expires_at = now() where id = ${other.keyId}`
  expect(await (await chat(service, other.apiKey, {})).json()).toMatchObject({
    error: { code: 'api_key_expired' },
  })
  await service.sql`update api_keys set revoked_at = now() where id = ${other.keyId}`
  expect(await (await chat(service, other.apiKey, {})).json()).toMatchObject({
    error: { code: 'api_key_revoked' },
  })
})

test('a body over the limit answers 413 request_too_large, declared or not', async () => {
  const body = JSON.stringify({ model: 'demo/tiny-chat', messages, padding: 'x'.repeat(MAX_BODY_BYTES) })
  expect(await refusalOf(body)).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
  const chunked = request(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, 'transfer-encoding': 'chunked' },
  })
  const answered = new Promise<[number, string]>((resolve, reject) => {
    chunked.once('error', reject)
    chunked.once('response', (response) => {
      text(response).then((answer) => resolve([response.statusCode!, answer]), reject)
    })
  })
  chunked.end(body)
  const [status, answer] = await answered
  expect(status).toBe(413)
  expect(JSON.parse(answer)).toMatchObject({ error: { code: 'request_too_large' } })
})

test.each([
  ['/v1/v1/models', 'twice'],
  ['/v1/models/', 'slash'],
  ['/models', '/v1'],
  ['/v1/completions', ''],
  ['/v1/invites', ''],
])('%s answers a JSON 404 with a hint', async (path, hint) => {
  const { origin } = new URL(service.baseUrl)
  const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${account.apiKey}` } })
  expect(response.status).toBe(404)
  const body = (await response.json()) as Answer['body']
  expect(body.error.code).toBe('not_found')
  expect(body.error.message).toContain(hint)
})

test('a generation of another workspace is as unknown as one that never was', async () => {
  const own = (await (await chat(service, account.apiKey, {})).json()) as { id: string }
  const other = await service.createAccount(1n)
  const read = (id: string, apiKey: string) =>
    fetch(`${service.baseUrl}/generation?id=${id}`, { headers: { authorization: `Bearer ${apiKey}` } })
  expect((await read(own.id, account.apiKey)).status).toBe(200)
  const foreign = await read(own.id, other.apiKey)
  const absent = await read('gen-01ARZ3NDEKTSV4RRFFQ69G5FAV', other.apiKey)
  expect([foreign.status, absent.status]).toEqual([404, 404])
  expect(await foreign.json()).toEqual(await absent.json())
  expect(await (await read('', other.apiKey)).json()).toMatchObject({
    error: { code: 'missing_field', param: 'id' },
  })
})

test('a request id is given back when it is printable, and made otherwise', async () => {
  const ask = (id: string) => fetch(`${service.baseUrl}/models`, { headers: { 'x-request-id': id } })
  expect((await ask('trace-42')).headers.get('x-request-id')).toBe('trace-42')
  expect((await ask('x'.repeat(129))).headers.get('x-request-id')).toMatch(/^req-/)
  expect((await ask('a b')).headers.get('x-request-id')).toMatch(/^req-/)
})

test('a preflight needs no key and reflects what an allowed page asks for', async () => {
  const preflight = (origin: string) =>
    fetch(`${service.baseUrl}/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'authorization,x-stainless-os' },
    })
  const allowed = await preflight('https://app.example')
  expect(allowed.status).toBe(204)
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,x-stainless-os')
  expect(allowed.headers.get('access-control-expose-headers')).toContain('X-Router-Generation-Id')
  expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  const answer = await chat(
    service,
    account.apiKey,
    {},
    {
      headers: { authorization: `Bearer ${account.apiKey}`, origin: 'https://app.example' },
    },
  )
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example')
})

test('no header of the client reaches the backend, and none of the backend’s the client', async () => {
  await service.backend.play({ rules: [{ headers: { 'x-secret': 'backend', 'set-cookie': 'a=1' } }] })
  service.backend.clearRequests()
  const answer = await chat(
    service,
    account.apiKey,
    {},
    {
      headers: {
        authorization: `Bearer ${account.apiKey}`,
        cookie: 'session=canary',
        'x-openwebui-user-email': 'canary@example.org',
        'user-agent': 'canary',
      },
    },
  )
  await service.backend.play({})
  expect(answer.status).toBe(200)
  expect(JSON.stringify(service.backend.requests()[0]?.headers)).not.toMatch(/canary|sk-tee/)
  expect([...answer.headers.keys()]).not.toEqual(expect.arrayContaining(['x-secret']))
  expect(answer.headers.get('set-cookie')).toBeNull()
})

test('a model that is not served is told before an unknown key that stands twice', async () => {
  const twice = '"messages":[1],"x":1,"x":2}'
  expect(await refusalOf(`{"model":"absent",${twice}`)).toMatchObject({ status: 404 })
  expect(await refusalOf(`{"model":"out-of-scope",${twice}`)).toMatchObject({ status: 403 })
  expect(await refusalOf('{"model":"demo/tiny-chat","x":1,"x":2}')).toMatchObject({
    body: { error: { code: 'missing_field', param: 'messages' } },
  })
})

test.each([
  ['names no host', 'GET /v1/models HTTP/1.1\r\n\r\n'],
  ['expects the unknown', 'GET /v1/models HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n'],
  ['asks for a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['is no HTTP', 'hello\r\n\r\n'],
  ['names an impossible host', 'GET /v1/models HTTP/1.1\r\nHost: a b\r\n\r\n'],
])('a request that %s gets a JSON error with a request id', async (_, text) => {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) {
    answer += chunk
    if (answer.includes('}}')) break
  }
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer.toLowerCase()).toContain('x-request-id: req-')
  const body = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  expect(isErrorBody(JSON.parse(body))).toBe(true)
})

test('announcing large bodies and sending nothing holds nobody up', async () => {
  const { port } = new URL(service.baseUrl)
  const head = (key: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${MAX_BODY_BYTES}\r\n\r\n{`
  const idlers = Array.from({ length: 2_000 }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head(account.apiKey))
    return socket
  })
  await Promise.all(idlers.map((socket) => once(socket, 'connect')))
  expect((await chat(service, account.apiKey, {})).status).toBe(200)
  for (const socket of idlers) socket.destroy()
})
