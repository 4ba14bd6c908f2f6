import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { demoModel, type Service, startService } from './service.ts'

const CONTEXT = 4_096

let tokenizer: Server
let service: Service
let apiKey: string
let asked: Readonly<Record<string, unknown>>[] = []
/** What the tokenizer says; undefined: it fails. */
let count: number | undefined

beforeAll(async () => {
  tokenizer = createServer(async (request, response) => {
    asked.push((await json(request)) as Record<string, unknown>)
    if (count === undefined) response.writeHead(500).end('canary')
    else response.end(JSON.stringify({ count, max_model_len: CONTEXT, tokens: [] }))
  })
  tokenizer.listen(0, '127.0.0.1')
  await once(tokenizer, 'listening')
  const tokenizeUrl = `http://127.0.0.1:${(tokenizer.address() as AddressInfo).port}/tokenize`
  service = await startService({
    models: (url) =>
      ['demo', 'other'].map((id) =>
        demoModel(url, {
          id,
          contextLength: CONTEXT,
          maxOutputTokens: 64,
          capabilities: ['chat', 'completions', 'embeddings'],
          backends: [{ url, model: 'tiny-chat', apiKey: undefined, usage: 'final', tokenizeUrl }],
        }),
      ),
  })
  ;({ apiKey } = await service.createAccount(5_000_000n, { modelScope: ['demo'] }))
})

afterAll(async () => {
  await service.stop()
  tokenizer.close()
})

beforeEach(() => {
  asked = []
  count = CONTEXT + 1
  service.backend.clearRequests()
})

const post = (path: string, fields: object, key = apiKey) =>
  fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'demo', ...fields }),
  })

const text = 'word '.repeat(1_000)
const messages = [{ role: 'user', content: text }]

test.each([
  ['/chat/completions', { messages, tools: [] }, { messages, tools: [] }, 'messages'],
  ['/completions', { prompt: text, stream: true }, { prompt: text }, 'prompt'],
  ['/embeddings', { input: ['short', text] }, { prompt: text }, 'input'],
])(
  '%s refuses a prompt that the backend counts as too long before anything is sent',
  async (path, fields, question, param) => {
    const response = await post(path, fields)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded', param } })
    expect(asked).toEqual([{ model: 'tiny-chat', ...question }])
    expect(service.backend.requests()).toEqual([])
    expect(await service.verify()).toMatchObject({ generations: 0, open_holds: 0 })
  },
)

test('a prompt that fits is served, and so is one that nobody could count', async () => {
  for (const counted of [CONTEXT, undefined]) {
    count = counted
    const response = await post('/completions', { prompt: text })
    expect(response.status).toBe(200)
  }
  expect(asked).toHaveLength(2)
})

test('a short prompt is counted while it is served, and the count stands where the backend tells no usage', async () => {
  count = 17
  await service.backend.play({ rules: [{ usage: 'none' }] })
  const response = await post('/completions', { prompt: 'Once' })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 17 } })
  expect(asked).toEqual([{ model: 'tiny-chat', prompt: 'Once' }])
  await service.backend.play({})
})

test('nobody is asked for a caller who may not use the model', async () => {
  expect((await post('/completions', { prompt: text }, `sk-tee-v1-${'A'.repeat(43)}`)).status).toBe(401)
  expect((await post('/completions', { prompt: text, model: 'other' })).status).toBe(403)
  expect(asked).toEqual([])
})
