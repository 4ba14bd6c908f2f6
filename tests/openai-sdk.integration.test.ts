import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { demoModel, type Service, startService } from './service.ts'

let service: Service
let openai: OpenAI
let workspaceId: string

beforeAll(async () => {
  service = await startService({
    models: (url) => [
      demoModel(url),
      demoModel(url, { id: 'other', capabilities: ['completions', 'embeddings'] }),
    ],
    timers: { idleMs: 1_000 },
  })
  const account = await service.createAccount(5_000_000n)
  workspaceId = account.workspaceId
  openai = new OpenAI({ baseURL: service.baseUrl, apiKey: account.apiKey })
})

afterAll(() => service.stop())

const model = 'demo/tiny-chat'
const messages = [{ role: 'user', content: 'Hello' }] as const satisfies OpenAI.ChatCompletionMessageParam[]

interface RouterUsage {
  readonly cost_micros: number
  readonly endpoint: string
  readonly evidence_digest: string | null
}

test('a chat is answered with the generation id, the router model id and the exact usage', async () => {
  const before = await service.balanceOf(workspaceId)
  const { data: answer, response } = await openai.chat.completions
    .create({ model, messages: [...messages] })
    .withResponse()
  const usage = answer.usage as typeof answer.usage & RouterUsage
  expect(answer.id).toMatch(/^gen-[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(response.headers.get('x-router-generation-id')).toBe(answer.id)
  expect(answer.model).toBe(model)
  expect(answer.choices[0]?.message.content?.length).toBeGreaterThan(10)
  expect(usage).toMatchObject({ endpoint: 'demo', evidence_digest: null })
  expect(usage.cost_micros).toBe(
    Math.ceil((usage.prompt_tokens * 150_000 + usage.completion_tokens * 600_000) / 1_000_000),
  )
  expect(await service.balanceOf(workspaceId)).toBe(before - BigInt(usage.cost_micros))
})

test('a stream yields its chunks and, when asked, one usage-only chunk that its record repeats', async () => {
  const stream = await openai.chat.completions.create({
    model,
    messages: [...messages],
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  const last = chunks.at(-1)!
  expect(last.choices).toEqual([])
  expect(chunks.filter(({ usage }) => usage)).toHaveLength(1)
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  // Read-your-write: the record is there the moment the stream has ended (GEN-22).
  const record = await openai.get<{ data: Record<string, unknown> }>(`/generation?id=${last.id}`)
  expect(record.data).toMatchObject({
    id: last.id,
    status: 'ok',
    streamed: true,
    usage_source: 'backend',
    completion_tokens: last.usage?.completion_tokens,
    cost_micros: (last.usage as unknown as RouterUsage).cost_micros,
  })
})

test('a client that did not ask for usage sees no usage chunk', async () => {
  const stream = await openai.chat.completions.create({ model, messages: [...messages], stream: true })
  let text = ''
  for await (const chunk of stream) {
    expect(chunk.usage ?? null).toBeNull()
    expect(chunk.choices).toHaveLength(1)
    text += chunk.choices[0]?.delta.content ?? ''
  }
  expect(text.length).toBeGreaterThan(10)
})

test('tool calls pass through, streamed and whole', async () => {
  const request = {
    model,
    messages: [{ role: 'user', content: 'What is the weather in Paris? [script:tool]' }],
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
  } satisfies OpenAI.ChatCompletionCreateParamsNonStreaming
  const whole = await openai.chat.completions.create(request)
  const call = whole.choices[0]?.message.tool_calls?.[0]
  expect(call?.type === 'function' && call.function).toEqual({
    name: 'get_weather',
    arguments: '{"city":"Paris"}',
  })
  const streamed = await openai.chat.completions.stream({ ...request, stream: true }).finalChatCompletion()
  const streamedCall = streamed.choices[0]?.message.tool_calls?.[0]
  expect(streamedCall?.type === 'function' && streamedCall.function.arguments).toBe('{"city":"Paris"}')
  expect(streamed.choices[0]?.finish_reason).toBe('tool_calls')
})

test('a text is continued, whole and in pieces', async () => {
  const request = { model: 'other', prompt: 'Once upon a time' }
  const whole = await openai.completions.create(request)
  expect(whole.choices[0]?.text.length).toBeGreaterThan(10)
  const pieces: string[] = []
  for await (const { choices } of await openai.completions.create({ ...request, stream: true }))
    pieces.push(choices[0]?.text ?? '')
  expect(pieces.join('').length).toBeGreaterThan(10)
  expect(pieces.length).toBeGreaterThan(1)
})

test('vectors are asked for in base64 by the SDK itself, which decodes the floats that they hold', async () => {
  service.backend.clearRequests()
  const request = { model: 'other', input: 'Once upon a time' }
  const asked = await openai.embeddings.create(request)
  const floats = await openai.embeddings.create({ ...request, encoding_format: 'float' })
  expect([...asked.data[0]!.embedding]).toEqual(floats.data[0]!.embedding)
  const formats = service.backend.requests().map(({ body }) => JSON.parse(body).encoding_format)
  expect(formats).toEqual(['base64', 'float'])
})

test('fields that an SDK sends as null count as absent, and reach the backend as they were sent', async () => {
  service.backend.clearRequests()
  const fields = { temperature: null, n: null, stop: null }
  await openai.chat.completions.create({ model, messages: [...messages], ...fields })
  const [received] = service.backend.requests()
  expect(received?.body).toContain('"temperature":null,"n":null,"stop":null')
})

test('models are listed and read, with a slash in their id', async () => {
  const ids = []
  for await (const entry of openai.models.list()) ids.push(entry.id)
  expect(ids).toEqual(['demo/tiny-chat', 'other'])
  expect(await openai.models.retrieve(model)).toMatchObject({
    id: model,
    object: 'model',
    context_length: 32_768,
  })
})

test('refusals become the SDK’s error classes, with code, param and request id', async () => {
  const wrongKey = new OpenAI({ baseURL: service.baseUrl, apiKey: `sk-tee-v1-${'A'.repeat(43)}` })
  const error = await wrongKey.models.list().then(fail, (thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AuthenticationError)
  expect(error).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
    requestID: expect.stringMatching(/^req-/),
  })

  const unknown = await openai.chat.completions
    .create({ model: 'absent', messages: [...messages] })
    .then(fail, same)
  expect(unknown).toBeInstanceOf(NotFoundError)
  expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model' })

  const bad = await openai.chat.completions.create({ model, messages: [...messages], n: 2 }).then(fail, same)
  expect(bad).toBeInstanceOf(BadRequestError)
  expect(bad).toMatchObject({ code: 'unsupported_parameter', param: 'n' })

  const caps = { max_tokens: 5, max_completion_tokens: 6 }
  const torn = await openai.chat.completions
    .create({ model, messages: [...messages], ...caps })
    .then(fail, same)
  expect(torn).toMatchObject({ code: 'unsupported_parameter', param: 'max_tokens' })

  const poor = await service.createAccount(0n)
  const broke = new OpenAI({ baseURL: service.baseUrl, apiKey: poor.apiKey })
  const unpaid = await broke.chat.completions.create({ model, messages: [...messages] }).then(fail, same)
  expect(unpaid).toMatchObject({ status: 402, code: 'insufficient_credits' })
})

test('a stream that fails midway raises an APIError with the code, after what was delivered', async () => {
  const stream = await openai.chat.completions.create({
    model,
    messages: [{ role: 'user', content: '[script:eof]' }],
    stream: true,
  })
  const text: string[] = []
  const read = async () => {
    for await (const chunk of stream) text.push(chunk.choices[0]?.delta.content ?? '')
  }
  const error = await read().then(fail, same)
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ code: 'backend_unavailable' })
  expect(text.join('')).not.toBe('')
})

test('an aborted stream is metered for what was delivered, and the backend is let go at once', async () => {
  const stream = await openai.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'canary-abort [script:long]' }],
    stream: true,
  })
  let id = ''
  let delivered = 0
  for await (const chunk of stream) {
    id = chunk.id
    if (chunk.choices[0]?.delta.content) delivered++
    if (delivered === 3) stream.controller.abort()
  }
  const record = await vi.waitUntil(() => findRecord(id), { interval: 10 })
  expect(record).toMatchObject({ status: 'aborted', usage_source: 'counted' })
  expect(record.completion_tokens).toBeGreaterThanOrEqual(3)
  expect(record.cost_micros).toBeGreaterThan(0)
  // How soon is shown where nothing else is measured with it (server/relay/stream.test.ts).
  await vi.waitFor(() => expect(service.backend.requests('canary-abort')[0]?.outcome).toBe('client-left'))
})

async function findRecord(id: string) {
  const found = await openai
    .get<{ data: { status: string; completion_tokens: number; cost_micros: number } }>(`/generation?id=${id}`)
    .catch(() => undefined)
  return found?.data
}

function fail(): never {
  throw new Error('This should have been refused.')
}

function same<T>(value: T): T {
  return value
}
