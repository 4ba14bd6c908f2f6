import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { silent } from '../log.ts'
import { answers, type Script, type ScriptedBackend, startBackend } from './testing/backend.ts'
import { createTokenizers, type Tokenizers } from './tokenizer.ts'

const open: { backend: ScriptedBackend; tokenizers: Tokenizers }[] = []

afterEach(async () => {
  for (const { backend, tokenizers } of open.splice(0)) {
    await tokenizers.close()
    await backend.close()
  }
})

async function start(script: Script, { elsewhere = false, timeoutMs = 2_000 } = {}) {
  const backend = await startBackend(script)
  const { origin } = new URL(backend.url)
  const config = {
    url: elsewhere ? 'http://127.0.0.1:1/v1' : backend.url,
    model: 'tiny-chat',
    apiKey: 'backend-key',
    usage: 'final',
    tokenizeUrl: `${origin}/tokenize`,
  } as const
  const models = [
    { id: 'demo', backends: [config] },
    { id: 'other', backends: [{ ...config, tokenizeUrl: undefined }] },
  ]
  const warnings: unknown[] = []
  const log = { ...silent, warn: (...line: unknown[]) => warnings.push(line) }
  const tokenizers = createTokenizers(models, log, timeoutMs)
  open.push({ backend, tokenizers })
  return { backend, tokenizers, warnings }
}

const tokens = Array.from({ length: 200_000 }, (_, index) => 100_000 + index)

test.each([
  ['vLLM', { count: 7, max_model_len: 4_096, tokens: [1, 2, 3, 4, 5, 6, 7] }, 7],
  ['SGLang', { tokens: [1, 2, 3], count: 3, max_model_len: 4_096 }, 3],
  ['a server that only lists the tokens', { tokens: [1, 2] }, 2],
  ['vLLM with a long list', { count: 200_000, max_model_len: 4_096, tokens }, 200_000],
  [
    'vLLM with a list beyond what is read',
    { count: 9, max_model_len: 1, tokens: [...tokens, ...tokens, ...tokens, ...tokens] },
    9,
  ],
])('the count of %s is read', async (_, body, count) => {
  const { tokenizers, backend } = await start(answers(200, body))
  expect(await tokenizers.count('demo', { prompt: '"Once"', tools: Buffer.from('[1.0]') }, 'req-1')).toBe(
    count,
  )
  const [request] = backend.requests
  expect(request).toMatchObject({
    path: '/tokenize',
    body: '{"model":"tiny-chat","prompt":"Once","tools":[1.0]}',
  })
  expect(request!.headers.authorization).toBe('Bearer backend-key')
})

test.each([
  ['fails', answers(500, 'canary')],
  ['refuses', answers(400, { error: 'no messages, canary' })],
  ['answers no JSON', answers(200, '<html>canary')],
  ['answers no count', answers(200, { canary: true })],
  ['answers a count that is none', answers(200, { count: 'canary' })],
  ['answers a count below nothing', answers(200, { count: -7 })],
  ['dies', (response) => void response.destroy()],
] satisfies readonly (readonly [string, Script])[])(
  'a tokenizer that %s counts nothing',
  async (_, script) => {
    const { tokenizers, warnings } = await start(script)
    expect(await tokenizers.count('demo', { prompt: '"canary"' }, 'req-1')).toBeUndefined()
    // As the log has them: what an error says is no member that JSON shows.
    expect(inspect(warnings, { depth: null })).not.toContain('canary')
  },
)

test.each([
  ['before its answer', () => {}],
  [
    'within its answer',
    (response) => {
      response.writeHead(200)
      response.write('{"max_model_len":1,')
    },
  ],
] satisfies readonly (readonly [string, Script])[])(
  'a tokenizer that is silent %s is given up',
  async (_, script) => {
    const { tokenizers, backend } = await start(script, { timeoutMs: 100 })
    expect(await tokenizers.count('demo', {}, 'req-1')).toBeUndefined()
    await expect.poll(() => backend.sockets.size).toBe(0)
  },
)

test('a model without a tokenizer has none, and nobody counts for it', async () => {
  const { tokenizers } = await start(answers(200, { count: 1 }))
  expect([tokenizers.has('demo'), tokenizers.has('other'), tokenizers.has('absent')]).toEqual([
    true,
    false,
    false,
  ])
  expect(await tokenizers.count('other', {}, 'req-1')).toBeUndefined()
})

test('a backend’s key does not go to another address', async () => {
  const { tokenizers, backend } = await start(answers(200, { count: 1 }), { elsewhere: true })
  expect(await tokenizers.count('demo', {}, 'req-1')).toBe(1)
  expect(backend.requests[0]!.headers).not.toHaveProperty('authorization')
})

test('only so many are asked at a time; the others go without', async () => {
  const held: (() => void)[] = []
  const { tokenizers, backend } = await start((response) => {
    held.push(() => void answers(200, { count: 1 })(response, backend.requests[0]!))
  })
  const counts = Array.from({ length: 20 }, () => tokenizers.count('demo', {}, 'req-1'))
  await expect.poll(() => held.length).toBe(16)
  for (const answer of held) answer()
  expect((await Promise.all(counts)).filter((count) => count === 1)).toHaveLength(16)
})
