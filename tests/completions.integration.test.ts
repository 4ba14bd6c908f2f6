import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isCompletion } from '#contract/validators/completion'
import { isCompletionChunk } from '#contract/validators/completion-chunk'
import { demoModel, type Service, startService } from './service.ts'

let service: Service
let openai: OpenAI
let apiKey: string
let workspaceId: string

const model = 'demo/tiny-text'

beforeAll(async () => {
  service = await startService({
    models: (url) => [demoModel(url, { id: model, capabilities: ['completions'] })],
  })
  ;({ apiKey, workspaceId } = await service.createAccount(5_000_000n))
  openai = new OpenAI({ baseURL: service.baseUrl, apiKey, maxRetries: 0 })
})

afterAll(() => service.stop())

interface RouterUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micros: number
}

const costOf = ({ prompt_tokens: prompt, completion_tokens: completion }: RouterUsage) =>
  Math.ceil((prompt * 150_000 + completion * 600_000) / 1_000_000)

async function recordOf(id: string) {
  const { data } = await openai.get<{ data: Record<string, unknown> }>(`/generation?id=${id}`)
  return data
}

test('a text is continued with the generation id, the router model id and the exact usage', async () => {
  const before = await service.balanceOf(workspaceId)
  const { data: answer, response } = await openai.completions
    .create({ model, prompt: 'Once upon a time' })
    .withResponse()
  expect(isCompletion(answer)).toBe(true)
  expect(response.headers.get('x-router-generation-id')).toBe(answer.id)
  expect(answer).toMatchObject({ object: 'text_completion', model })
  expect(answer.choices[0]!.text.length).toBeGreaterThan(10)
  const usage = answer.usage as unknown as RouterUsage
  expect(usage).toMatchObject({ cost_micros: costOf(usage), endpoint: 'demo', evidence_digest: null })
  expect(await service.balanceOf(workspaceId)).toBe(before - BigInt(usage.cost_micros))
  expect(await recordOf(answer.id)).toMatchObject({
    operation: 'completions',
    streamed: false,
    status: 'ok',
    finish_reason: 'stop',
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    cost_micros: usage.cost_micros,
  })
})

test.each<[string, string | string[] | number[] | number[][]]>([
  ['a string', 'Once "twice" größe'],
  ['one string in an array', ['Once']],
  ['tokens', [1, 2, 3]],
  ['the tokens of one prompt in an array', [[1, 2, 3]]],
])('a prompt that is %s reaches the backend as it was sent', async (_, prompt) => {
  service.backend.clearRequests()
  await openai.completions.create({ model, prompt, best_of: 1, echo: false, suffix: 'end' })
  const [request] = service.backend.requests()
  expect(request!.path).toBe('/v1/completions')
  expect(JSON.parse(request!.body)).toEqual({
    model: 'tiny-chat',
    prompt,
    best_of: 1,
    echo: false,
    suffix: 'end',
    max_tokens: 16_384,
  })
})

test('several prompts reach the backend as they were sent, each has its choice, and the hold is for all', async () => {
  service.backend.clearRequests()
  await service.backend.play({ rules: [{ beforeHeadersMs: 500 }] })
  const prompt = ['Once', 'twice', 'thrice']
  const answered = openai.completions.create({ model, prompt, max_tokens: 0, echo: true })
  const hold = await vi.waitFor(async () => {
    const [row] = await service.sql<{ amount_micros: bigint; prompt_tokens: bigint }[]>`
      select amount_micros, prompt_tokens from holds`
    expect(row).toBeDefined()
    return row!
  })
  const { choices } = await answered
  await service.backend.play({})
  expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
  const [request] = service.backend.requests()
  expect(JSON.parse(request!.body)).toMatchObject({ prompt, max_tokens: 0, echo: true })
  // 15 bytes of text are four tokens by the router's own count.
  expect(hold.prompt_tokens).toBe(4n)
  // Three prompts, each with a template's 1,024 tokens: more than one could ever be.
  expect(Number(hold.amount_micros)).toBeGreaterThan((3 * 1_024 * 150_000) / 1_000_000)
})

test('a stream yields pieces of text and, when asked, one usage-only chunk that its record repeats', async () => {
  const stream = await openai.completions.create({
    model,
    prompt: 'Once upon a time',
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  for (const chunk of chunks) expect(isCompletionChunk(chunk)).toBe(true)
  expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('').length).toBeGreaterThan(10)
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  const last = chunks.at(-1)!
  expect(last.choices).toEqual([])
  expect(chunks.filter(({ usage }) => usage)).toHaveLength(1)
  const usage = last.usage as unknown as RouterUsage
  expect(usage.cost_micros).toBe(costOf(usage))
  expect(await recordOf(last.id)).toMatchObject({
    operation: 'completions',
    streamed: true,
    status: 'ok',
    usage_source: 'backend',
    completion_tokens: usage.completion_tokens,
    cost_micros: usage.cost_micros,
  })
})

test('a client that did not ask for usage sees none, although the backend was asked', async () => {
  service.backend.clearRequests()
  const stream = await openai.completions.create({ model, prompt: 'Once', stream: true })
  for await (const chunk of stream) {
    expect(chunk.usage ?? null).toBeNull()
    expect(chunk.choices).toHaveLength(1)
  }
  expect(service.backend.requests()[0]!.body).toContain('"stream_options":{"include_usage":true}')
})

test('a stream that breaks off ends with an error event, and what was delivered is metered', async () => {
  const response = await fetch(`${service.baseUrl}/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model, prompt: '[script:eof]', stream: true }),
  })
  const all = (await response.text()).trimEnd().split('\n\n')
  const events = all.slice(-2)
  expect(JSON.parse(events[0]!.slice('data: '.length))).toMatchObject({
    error: { code: 'backend_unavailable' },
  })
  expect(events[1]).toBe('data: [DONE]')
  const said = all
    .slice(0, -2)
    .map((event) => JSON.parse(event.slice('data: '.length)).choices[0]?.text ?? '')
    .join('')
  expect(await recordOf(response.headers.get('x-router-generation-id')!)).toMatchObject({
    status: 'aborted',
    usage_source: 'counted',
    completion_tokens: Math.ceil(Buffer.byteLength(said) / 4),
  })
})

test('a client that leaves is metered for what it got; a prompt of tokens counts as many', async () => {
  await service.backend.play({ rules: [{ chunks: 400, betweenChunksMs: 20 }] })
  const stream = await openai.completions.create({ model, prompt: [5, 6, 7, 8, 9], stream: true })
  let id = ''
  for await (const chunk of stream) {
    id = chunk.id
    stream.controller.abort()
  }
  await service.backend.play({})
  const record = await vi.waitUntil(() => recordOf(id).catch(() => undefined), { interval: 10 })
  expect(record).toMatchObject({ status: 'aborted', usage_source: 'counted', prompt_tokens: 5 })
  expect(record.completion_tokens).toBeGreaterThanOrEqual(1)
})

test.each([
  [{}, 'missing_field', 'prompt'],
  [{ prompt: null }, 'missing_field', 'prompt'],
  [{ prompt: '' }, 'missing_field', 'prompt'],
  [{ prompt: [] }, 'missing_field', 'prompt'],
  [{ prompt: ['Once', 2] }, 'unsupported_parameter', 'prompt'],
  [{ prompt: [[1], 2] }, 'unsupported_parameter', 'prompt'],
  [{ prompt: 'Once', best_of: 2 }, 'unsupported_parameter', 'best_of'],
  [{ prompt: 'Once', n: 3 }, 'unsupported_parameter', 'n'],
  [{ prompt: 'Once', stream: 1 }, 'unsupported_parameter', 'stream'],
  [{ prompt: 'Once', BEST_OF: 2 }, 'unsupported_parameter', 'BEST_OF'],
  [{ prompt: Array(32_769).fill(1) }, 'context_length_exceeded', 'prompt'],
])('request %# is refused with the field named, and nothing is sent or held', async (fields, code, param) => {
  service.backend.clearRequests()
  const before = await service.verify()
  const response = await fetch(`${service.baseUrl}/completions`, {
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
