import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Backend, createBackend } from './backend.ts'
import { begin, chat, eventsOf, post } from './exchange.ts'

let backend: Backend

beforeAll(async () => {
  backend = await createBackend({ paceMs: 0, models: ['tiny-chat', 'org/other'] })
})
beforeEach(async () => {
  await backend.play({})
  backend.clearRequests()
})
afterAll(() => backend.close())

function ask(body: object, path = '/chat/completions') {
  return post(backend.url + path, body)
}

interface Chunk {
  readonly id: string
  readonly choices: readonly {
    readonly delta: { readonly content?: string }
    readonly finish_reason: string
  }[]
  readonly usage?: unknown
}

test('a prompt is counted as vLLM does, by the measure of the usage, and by no rule of another operation', async () => {
  await backend.play({ rules: [{ status: 500 }] })
  const count = async (body: object) => {
    const url = new URL('/tokenize', backend.url).href
    return JSON.parse((await post(url, body)).text).count as number
  }
  expect(await count({ model: 'tiny-chat', prompt: 'one two three' })).toBe(3)
  expect(await count({ model: 'tiny-chat', messages: [{ role: 'user', content: 'one two' }] })).toBe(5)
})

test('a chat is answered with 30 to 40 words, one to a chunk, and [DONE]', async () => {
  const { status, headers, text } = await ask(chat('Hello!', { stream: true }))
  const events = eventsOf(text)
  const chunks = events.slice(0, -1) as Chunk[]
  const words = chunks.flatMap(({ choices }) => choices[0]?.delta.content || [])
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  expect(words.length).toBeGreaterThanOrEqual(30)
  expect(words.length).toBeLessThanOrEqual(40)
  expect(words.join('')).toMatch(/^[A-Z].* .*[.!?]$/)
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  expect(events.at(-1)).toBe('[DONE]')
  expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
})

test('the same request is answered with the same bytes', async () => {
  const request = chat('Once more?', { stream: true })
  expect((await ask(request)).text).toBe((await ask(request)).text)
})

test('usage is sent in a last chunk when it is asked for, and counts the words', async () => {
  const request = chat('one two three', { stream: true, stream_options: { include_usage: true } })
  const usage = eventsOf((await ask(request)).text).at(-2)
  const body = JSON.parse((await ask(chat('one two three'))).text)
  expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 6 } })
  expect(body.usage).toEqual((usage as Chunk).usage)
  expect(body.usage.completion_tokens).toBe(body.choices[0].message.content.split(' ').length)
})

test('continuous usage grows with every chunk', async () => {
  const options = { include_usage: true, continuous_usage_stats: true }
  const { text } = await ask(chat('Hi', { stream: true, max_tokens: 3, stream_options: options }))
  const counts = eventsOf(text).slice(0, -1) as { usage: { completion_tokens: number } }[]
  expect(counts.map(({ usage }) => usage.completion_tokens)).toEqual([0, 1, 2, 3, 3, 3])
})

test('max_tokens and max_completion_tokens end the answer with the reason length', async () => {
  for (const cap of ['max_tokens', 'max_completion_tokens']) {
    const body = JSON.parse((await ask(chat('Hi', { [cap]: 4 }))).text)
    expect(body.choices[0].finish_reason).toBe('length')
    expect(body.usage.completion_tokens).toBe(4)
  }
})

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] } } },
  },
}

test.each([
  ['is required', 'Hello', { tool_choice: 'required' }],
  ['is named', 'Hello', { tool_choice: { type: 'function', function: { name: 'get_weather' } } }],
  ['suits the question', 'What is the weather like?', {}],
])('a tool is called when it %s', async (_, question, more) => {
  const body = JSON.parse((await ask(chat(question, { tools: [weather], ...more }))).text)
  const [call] = body.choices[0].message.tool_calls
  expect(body.choices[0].finish_reason).toBe('tool_calls')
  expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris', unit: 'C' })
})

test('a tool is not called when the client forbids it, nor once its result is there', async () => {
  const forbidden = await ask(chat('The weather?', { tools: [weather], tool_choice: 'none' }))
  const messages = [
    { role: 'user', content: 'The weather?' },
    { role: 'tool', content: 'rain', tool_call_id: 'a' },
  ]
  const answered = await ask({ model: 'tiny-chat', messages, tools: [weather] })
  for (const { text } of [forbidden, answered]) {
    expect(JSON.parse(text).choices[0].finish_reason).toBe('stop')
  }
})

test('legacy completions are answered in their own shape', async () => {
  const request = { model: 'tiny-chat', prompt: 'Say hi', max_tokens: 2 }
  const whole = JSON.parse((await ask(request, '/completions')).text)
  const streamed = eventsOf((await ask({ ...request, stream: true }, '/completions')).text)
  expect(whole).toMatchObject({
    object: 'text_completion',
    usage: { prompt_tokens: 2, completion_tokens: 2 },
  })
  expect(streamed.at(0)).toMatchObject({ object: 'text_completion', choices: [{ text: expect.any(String) }] })
  expect(streamed).toHaveLength(4)
})

test('embeddings are vectors, in base64 when that is asked for', async () => {
  const request = { model: 'tiny-chat', input: ['one two', 'three'], dimensions: 4 }
  const plain = JSON.parse((await ask(request, '/embeddings')).text)
  const packed = JSON.parse((await ask({ ...request, encoding_format: 'base64' }, '/embeddings')).text)
  expect(plain.data.map((each: { embedding: number[] }) => each.embedding.length)).toEqual([4, 4])
  expect(plain.usage).toEqual({ prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 })
  const bytes = Buffer.from(packed.data[0].embedding, 'base64')
  expect(bytes.readFloatLE(0)).toBe(plain.data[0].embedding[0])
})

test('models are listed, and looked up with a slash in their id', async () => {
  const list = await (await fetch(`${backend.url}/models`)).json()
  expect(list).toMatchObject({ object: 'list', data: [{ id: 'tiny-chat' }, { id: 'org/other' }] })
  expect((await fetch(`${backend.url}/models/org%2Fother`)).status).toBe(200)
  expect((await fetch(`${backend.url}/models/absent`)).status).toBe(404)
})

test.each([
  ['no JSON', '{', 400],
  ['no messages', '{"model":"tiny-chat"}', 400],
])('a body with %s answers 400', async (_, body, status) => {
  const answer = await post(`${backend.url}/chat/completions`, body)
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.text).error.type).toBe('invalid_request_error')
})

test('a client that leaves is noticed, with what it had been sent', async () => {
  await backend.play({ rules: [{ fault: { kind: 'stall', afterChunks: 2 } }] })
  const [response] = await begin(`${backend.url}/chat/completions`, chat('canary', { stream: true }))
  await expect.poll(() => backend.requests('canary')[0]?.chunksSent).toBe(2)
  expect(backend.connections().inFlight).toBe(1)
  response.destroy()
  await expect.poll(() => backend.requests('canary')[0]?.outcome).toBe('client-left')
  const { inFlight, closedEarlyCount, closedEarly } = backend.connections()
  expect([inFlight, closedEarlyCount]).toEqual([0, 1])
  expect(closedEarly[0]).toMatchObject({ chunksSent: 2, path: '/v1/chat/completions' })
})
