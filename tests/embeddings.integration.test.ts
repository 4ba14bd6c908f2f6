import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isEmbeddingList } from '#contract/validators/embedding-list'
import { demoModel, type Service, startService } from './service.ts'

let service: Service
let openai: OpenAI
let apiKey: string
let workspaceId: string

const model = 'demo/tiny-embed'
const CONTEXT = 2_000
const TEMPLATE = 10

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url, {
        id: model,
        capabilities: ['embeddings'],
        contextLength: CONTEXT,
        templateTokens: TEMPLATE,
        maxOutputTokens: CONTEXT,
      }),
    ],
  })
  ;({ apiKey, workspaceId } = await service.createAccount(5_000_000n))
  openai = new OpenAI({ baseURL: service.baseUrl, apiKey, maxRetries: 0 })
})

afterAll(() => service.stop())

/** Sends a request without an SDK that would decode its answer. */
async function embed(fields: object): Promise<{ headers: Headers; body: OpenAI.CreateEmbeddingResponse }> {
  const response = await fetch(`${service.baseUrl}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model, ...fields }),
  })
  expect(response.status).toBe(200)
  return { headers: response.headers, body: (await response.json()) as OpenAI.CreateEmbeddingResponse }
}

async function recordOf(id: string) {
  const { data } = await openai.get<{ data: Record<string, unknown> }>(`/generation?id=${id}`)
  return data
}

test('a vector costs its prompt alone; the usage carries the three extensions', async () => {
  const before = await service.balanceOf(workspaceId)
  const { headers, body } = await embed({ input: ['Once upon', 'a time'] })
  expect(isEmbeddingList(body)).toBe(true)
  expect(body).toMatchObject({ object: 'list', model })
  expect(body.data.map(({ index }) => index)).toEqual([0, 1])
  expect(body.usage).toEqual({
    prompt_tokens: 4,
    completion_tokens: 0,
    total_tokens: 4,
    cost_micros: 1,
    endpoint: 'demo',
    evidence_digest: null,
  })
  expect(await service.balanceOf(workspaceId)).toBe(before - 1n)
  const id = headers.get('x-router-generation-id')!
  expect(body).not.toHaveProperty('id')
  expect(await recordOf(id)).toMatchObject({
    id,
    operation: 'embeddings',
    streamed: false,
    status: 'ok',
    prompt_tokens: 4,
    completion_tokens: 0,
    cost_micros: 1,
    finish_reason: null,
    time_to_first_token_ms: null,
  })
})

test('floats and base64 are the same vector: the encoding passes through', async () => {
  const input = 'Once upon a time'
  service.backend.clearRequests()
  const floats = (await embed({ input, encoding_format: 'float' })).body.data[0]!.embedding
  const base64 = (await embed({ input, encoding_format: 'base64' })).body.data[0]!
    .embedding as unknown as string
  expect(base64).toEqual(expect.any(String))
  const bytes = Buffer.from(base64, 'base64')
  const decoded = floats.map((_, index) => bytes.readFloatLE(index * 4))
  expect(decoded).toEqual(floats)
  // The SDK asks for base64 by itself and decodes it.
  const asked = await openai.embeddings.create({ model, input })
  expect([...asked.data[0]!.embedding]).toEqual(floats)
  const formats = service.backend.requests().map(({ body }) => JSON.parse(body).encoding_format)
  expect(formats).toEqual(['float', 'base64', 'base64'])
  expect(
    (await openai.embeddings.create({ model, input, encoding_format: 'float' })).data[0]!.embedding,
  ).toEqual(floats)
})

test.each<[string, string | string[] | number[] | number[][]]>([
  ['a string', 'größe'],
  ['several strings', ['Once', 'twice']],
  ['tokens', [1, 2, 3]],
  ['the tokens of several', [[1], [2, 3]]],
])('an input that is %s reaches the backend as it was sent, with no output cap', async (_, input) => {
  service.backend.clearRequests()
  await openai.embeddings.create({ model, input, encoding_format: 'float', dimensions: 4, user: 'me' })
  const [request] = service.backend.requests()
  expect(request!.path).toBe('/v1/embeddings')
  expect(JSON.parse(request!.body)).toEqual({
    model: 'tiny-chat',
    input,
    encoding_format: 'float',
    dimensions: 4,
    user: 'me',
  })
})

test('each input is held by itself, and nothing for an output', async () => {
  await service.backend.play({ rules: [{ operation: 'embeddings', beforeHeadersMs: 2_000 }] })
  const input = ['größe', 'x'.repeat(CONTEXT), 'abc']
  const answered = embed({ input })
  const held = await vi.waitUntil(
    async () => (await service.sql`select amount_micros from holds where workspace_id = ${workspaceId}`)[0],
    { interval: 5 },
  )
  await service.backend.play({})
  const tokens = 7 + TEMPLATE + CONTEXT + 3 + TEMPLATE
  expect(held).toEqual({ amount_micros: BigInt(Math.ceil((tokens * 150_000) / 1_000_000)) })
  await answered
})

test('a backend that reports no usage is metered by the router’s own count', async () => {
  await service.backend.play({ rules: [{ operation: 'embeddings', usage: 'none' }] })
  const { headers, body } = await embed({ input: ['12345678', '1'] })
  await service.backend.play({})
  expect(body.usage).toMatchObject({ prompt_tokens: 3, total_tokens: 3, cost_micros: 1 })
  expect(await recordOf(headers.get('x-router-generation-id')!)).toMatchObject({ usage_source: 'counted' })
})

test.each([
  [{}, 'missing_field', 'input'],
  [{ input: null }, 'missing_field', 'input'],
  [{ input: '' }, 'missing_field', 'input'],
  [{ input: [] }, 'missing_field', 'input'],
  [{ input: [{}] }, 'unsupported_parameter', 'input'],
  [{ input: 'Once', stream: true }, 'unsupported_parameter', 'stream'],
  [{ input: 'Once', dimensions: 0 }, 'unsupported_parameter', 'dimensions'],
  [{ input: 'Once', encoding_format: 5 }, 'unsupported_parameter', 'encoding_format'],
  [{ input: [[1], Array(CONTEXT + 1).fill(1)] }, 'context_length_exceeded', 'input'],
])('request %# is refused with the field named, and nothing is sent or held', async (fields, code, param) => {
  service.backend.clearRequests()
  const before = await service.verify()
  const response = await fetch(`${service.baseUrl}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model, ...fields }),
  })
  expect(response.status).toBe(400)
  expect(response.headers.get('x-router-generation-id')).toBeNull()
  expect(await response.json()).toMatchObject({ error: { code, param } })
  expect(service.backend.requests()).toEqual([])
  expect(await service.verify()).toEqual(before)
})

test('nothing is left held, and the ledger agrees', async () => {
  expect(await service.verify()).toMatchObject({ open_holds: 0, differences: [] })
})
