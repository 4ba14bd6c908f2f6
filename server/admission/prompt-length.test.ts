import { expect, test } from 'vitest'
import { createCatalogue } from '../catalogue.ts'
import type { Operation } from '../operation.ts'
import type { Question } from '../relay/tokenizer.ts'
import { countPrompt, refuseLongPrompt } from './prompt-length.ts'
import { parseModel, parseRequest } from './request.ts'
import { testModel } from './testing.ts'

const model = testModel({ contextLength: 1_000, maxOutputTokens: 100 })

/** Judges a request's length with a tokenizer that counts `count` tokens; tells what was asked, and of whom. */
async function judge(operation: Operation, fields: object, count: number | undefined, has = true) {
  const bytes = Buffer.from(JSON.stringify({ model: 'demo', ...fields }))
  const request = parseRequest(operation, parseModel(operation, bytes, createCatalogue([model])))
  const asked: (Question | 'authorized')[] = []
  const tokenizers = {
    has: () => has,
    hasRoom: () => has,
    count: async (_: string, question: Question) => {
      asked.push(Object.fromEntries(Object.entries(question).map(([name, json]) => [name, String(json)])))
      return count
    },
    close: async () => {},
  }
  const judge = async () =>
    refuseLongPrompt({ operation, model, request, requestId: 'req-1' }, tokenizers, async () =>
      asked.push('authorized'),
    )
  const refusal: unknown = await judge().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { refusal, asked }
}

const text = 'x'.repeat(1_000)
const messages = [{ role: 'user', content: text }]
const json = JSON.stringify

test.each<[Operation, object, object, string]>([
  ['chat', { messages, tools: [] }, { messages: json(messages), tools: '[]' }, 'messages'],
  ['completions', { prompt: text }, { prompt: json(text) }, 'prompt'],
  ['completions', { prompt: [text] }, { prompt: json(text) }, 'prompt'],
  ['embeddings', { input: ['a', text, 'bc'] }, { prompt: json(text) }, 'input'],
])(
  'a %s request that may be too long is counted, and refused beyond the window',
  async (operation, fields, question, param) => {
    const { refusal, asked } = await judge(operation, fields, 1_001)
    expect(refusal).toMatchObject({ code: 'context_length_exceeded', param })
    expect(asked).toEqual(['authorized', question])
    expect((await judge(operation, fields, 1_000)).refusal).toBeUndefined()
    expect((await judge(operation, fields, undefined)).refusal).toBeUndefined()
    expect(await judge(operation, fields, 1_001, false)).toEqual({ refusal: undefined, asked: [] })
  },
)

test.each<[string, Operation, object]>([
  ['is short', 'chat', { messages: [{ content: 'x' }] }],
  ['is short', 'completions', { prompt: 'x' }],
  ['has short inputs, however many', 'embeddings', { input: Array(500).fill('xxxx') }],
  ['was sent as tokens', 'completions', { prompt: Array(999).fill(1) }],
  ['was sent as tokens', 'embeddings', { input: [Array(999).fill(1)] }],
  ['holds an image', 'chat', { messages: [{ content: [{ type: 'image_url', image_url: { url: text } }] }] }],
])('nobody is asked about a prompt that %s', async (_, operation, fields) => {
  expect(await judge(operation, fields, 1_001)).toEqual({ refusal: undefined, asked: [] })
})

test('nobody counts for a caller who is not let in', async () => {
  const bytes = Buffer.from(json({ model: 'demo', prompt: text }))
  const request = parseRequest('completions', parseModel('completions', bytes, createCatalogue([model])))
  const tokenizers = {
    has: () => true,
    hasRoom: () => true,
    count: () => Promise.reject(new Error('asked')),
    close: async () => {},
  }
  const refused = refuseLongPrompt(
    { operation: 'completions', model, request, requestId: 'req-1' },
    tokenizers,
    () => Promise.reject(new Error('not let in')),
  )
  await expect(refused).rejects.toThrow('not let in')
})

test.each<[string, Operation, object, object | undefined]>([
  ['a conversation', 'chat', { messages, tools: [] }, { messages: json(messages), tools: '[]' }],
  ['one text', 'completions', { prompt: 'größe' }, { prompt: json('größe') }],
  ['one input', 'embeddings', { input: 'x' }, { prompt: json('x') }],
  ['a list of texts', 'completions', { prompt: ['a', 'b'] }, undefined],
  ['tokens', 'embeddings', { input: [1, 2] }, undefined],
  ['an image', 'chat', { messages: [{ content: [{ type: 'image_url' }] }] }, undefined],
])(
  'for the meter a tokenizer is asked about %s as it was sent, or not at all',
  async (_, operation, fields, asked) => {
    const bytes = Buffer.from(json({ model: 'demo', ...fields }))
    const request = parseRequest(operation, parseModel(operation, bytes, createCatalogue([model])))
    const questions: object[] = []
    const tokenizers = {
      has: () => true,
      hasRoom: () => true,
      count: async (_model: string, question: Question) => {
        questions.push(
          Object.fromEntries(Object.entries(question).map(([name, sent]) => [name, String(sent)])),
        )
        return 2_000_000
      },
      close: async () => {},
    }
    const counted = countPrompt({ operation, model, request, requestId: 'req-1' }, tokenizers, undefined)
    expect(await counted?.whenKnown).toBe(asked && request.prompt.bound)
    expect(questions).toEqual(asked ? [asked] : [])
  },
)
