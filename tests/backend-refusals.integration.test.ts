import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { routes } from '#contract/routes'
import { isErrorBody } from '#contract/validators/error-body'
import { type Account, demoModel, type Service, startService } from './service.ts'

let service: Service
let account: Account

const model = 'demo/tiny-all'

/** The three metered routes: a request of each, and the field that holds its prompt. */
const requests = [
  ['chat', '/chat/completions', { messages: [{ role: 'user', content: 'canary-prompt' }] }, 'messages'],
  ['completions', '/completions', { prompt: 'canary-prompt' }, 'prompt'],
  ['embeddings', '/embeddings', { input: ['canary-prompt'] }, 'input'],
] as const

const operations = ['chat', 'completions', 'embeddings'] as const

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url, { id: model, capabilities: operations }),
      ...operations.map((operation) =>
        demoModel(url, {
          id: `not-${operation}`,
          capabilities: operations.filter((other) => other !== operation),
        }),
      ),
    ],
  })
  account = await service.createAccount(5_000_000n)
})

afterAll(async () => {
  expect(await service.verify()).toMatchObject({ open_holds: 0, differences: [] })
  await service.stop()
})

beforeEach(() => service.backend.clearRequests())

const post = (path: string, fields: object) =>
  fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify(fields),
  })

async function refusalOf(path: string, fields: object) {
  const response = await post(path, { model, ...fields })
  const body = (await response.json()) as { error: { message: string } }
  expect(isErrorBody(body)).toBe(true)
  expect(response.headers.get('content-type')).toBe('application/json')
  const generationId = response.headers.get('x-router-generation-id')
  const [record] = await service.sql`
    select status, prompt_tokens, completion_tokens, cost_micros from generations where id = ${generationId}`
  return { status: response.status, body, record }
}

/** An accepted request whose backend said no: it has its record, and it cost nothing. */
const free = { status: 'aborted', prompt_tokens: 0n, completion_tokens: 0n, cost_micros: 0n }

test.each(requests)(
  'a backend’s 400 or 422 to %s is the caller’s mistake, in the backend’s words',
  async (_, path, fields) => {
    for (const status of [400, 422]) {
      await service.backend.play({
        rules: [{ status, error: { error: { message: 'top_k must be positive', param: 'top_k' } } }],
      })
      const { status: shown, body, record } = await refusalOf(path, fields)
      expect(shown).toBe(400)
      expect(body).toEqual({
        error: {
          message: 'top_k must be positive',
          type: 'invalid_request_error',
          code: 'unsupported_parameter',
          param: 'top_k',
        },
      })
      expect(record).toEqual(free)
    }
  },
)

/** What real servers say of a prompt that is too long, each in its own shape. */
const tooLong = {
  vLLM: {
    object: 'error',
    message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    type: 'BadRequestError',
    param: null,
    code: 400,
  },
  SGLang: {
    error: { message: "The input (5000 tokens) is longer than the model's context length (4096 tokens)." },
  },
  'llama.cpp': { error: { code: 400, message: 'too long', type: 'exceed_context_size_error', n_ctx: 4096 } },
  Ollama: { error: { message: 'the input length exceeds the context length', type: 'api_error' } },
  LiteLLM: { error: { message: 'litellm.ContextWindowExceededError: too many tokens', code: '400' } },
  OpenAI: { error: { message: 'too long', code: 'context_length_exceeded', param: 'messages' } },
}

test.each(requests)(
  'a prompt that %s’s backend finds too long is context_length_exceeded, whoever serves it',
  async (_, path, fields, param) => {
    for (const error of Object.values(tooLong)) {
      await service.backend.play({ rules: [{ status: 400, error }] })
      const { status, body, record } = await refusalOf(path, fields)
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: { code: 'context_length_exceeded', param } })
      expect(record).toEqual(free)
    }
  },
)

test.each(requests)(
  'a backend that fails %s is a 502 that repeats nothing of it',
  async (_, path, fields) => {
    for (const [status, code] of [
      [401, 'backend_error'],
      [404, 'backend_error'],
      [429, 'backend_unavailable'],
      [500, 'backend_unavailable'],
    ] as const) {
      await service.backend.play({ rules: [{ status, error: { error: { message: 'canary-backend' } } }] })
      const { status: shown, body, record } = await refusalOf(path, fields)
      expect(shown).toBe(502)
      expect(body).toMatchObject({ error: { code, type: 'upstream_error' } })
      expect(JSON.stringify(body)).not.toContain('canary')
      expect(record).toEqual(free)
    }
  },
)

test.each(requests)('an answer to %s that is none is a 502 backend_error', async (_, path, fields) => {
  for (const body of ['<!doctype html>', '[]', '{}', '{"error":{"message":"canary-backend"}}']) {
    await service.backend.play({ rules: [{ body }] })
    const { status, body: shown } = await refusalOf(path, fields)
    expect(status).toBe(502)
    expect(shown).toMatchObject({ error: { code: 'backend_error' } })
    expect(JSON.stringify(shown)).not.toContain('canary')
  }
})

test.each(requests)(
  'a model that does not serve %s is refused before anything is sent or held',
  async (operation, path, fields) => {
    const before = await service.verify()
    const response = await post(path, { model: `not-${operation}`, ...fields })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: 'model' } })
    expect(response.headers.get('x-router-generation-id')).toBeNull()
    expect(service.backend.requests()).toEqual([])
    expect(await service.verify()).toEqual(before)
  },
)

test('every metered route goes through the one admission: without credit all refuse alike (M-20)', async () => {
  const metered = Object.values(routes).filter((route) => route.metered)
  expect(metered.map(({ path }) => path).sort()).toEqual(requests.map(([, path]) => path).sort())
  const poor = await service.createAccount(0n)
  for (const [, path, fields] of requests) {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${poor.apiKey}` },
      body: JSON.stringify({ model, ...fields }),
    })
    expect(response.status).toBe(402)
    expect(await response.json()).toMatchObject({ error: { code: 'insufficient_credits' } })
  }
  expect(service.backend.requests()).toEqual([])
})
