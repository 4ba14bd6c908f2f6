import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalogue } from '../catalogue.ts'
import { ApiError } from '../errors.ts'
import { billable } from '../metering/billable.ts'
import type { Operation } from '../operation.ts'
import { parseModel, parseRequest } from './request.ts'
import { testModel } from './testing.ts'

const model = testModel()
const catalogue = createCatalogue([model, { ...model, id: 'mute', capabilities: [] }])

function parse(operation: Operation, fields: object) {
  const bytes = Buffer.from(JSON.stringify({ model: 'demo', ...fields }))
  return { bytes, request: parseRequest(operation, parseModel(operation, bytes, catalogue)) }
}

function refusalOf(operation: Operation, fields: object): ApiError {
  try {
    parse(operation, fields)
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown
    throw thrown
  }
  throw new Error('This should have been refused.')
}

test.each<[Operation, string, unknown]>([
  ['completions', 'prompt', undefined],
  ['completions', 'prompt', null],
  ['completions', 'prompt', ''],
  ['completions', 'prompt', []],
  ['completions', 'prompt', 5],
  ['completions', 'prompt', { text: 'Once' }],
  ['embeddings', 'input', undefined],
  ['embeddings', 'input', null],
  ['embeddings', 'input', ''],
  ['embeddings', 'input', []],
  ['embeddings', 'input', true],
])('%s whose %s is %j lacks it', (operation, field, value) => {
  expect(refusalOf(operation, { [field]: value })).toMatchObject({ code: 'missing_field', param: field })
})

test.each<[Operation, object, string]>([
  ['completions', { prompt: [1, 'Once'] }, 'prompt'],
  ['completions', { prompt: ['Once', 1] }, 'prompt'],
  ['completions', { prompt: [[1], 'Once'] }, 'prompt'],
  ['completions', { prompt: [...Array(20).fill('Once'), 1] }, 'prompt'],
  ['completions', { prompt: [[1], [2, {}]] }, 'prompt'],
  ['completions', { prompt: [1.5] }, 'prompt'],
  ['completions', { prompt: [[]] }, 'prompt'],
  ['completions', { prompt: 'Once', best_of: 2 }, 'best_of'],
  ['chat', { messages: [{}], best_of: 2 }, 'best_of'],
  ['completions', { prompt: 'Once', n: 2 }, 'n'],
  ['completions', { prompt: 'Once', max_tokens: -1 }, 'max_tokens'],
  ['completions', { prompt: 'Once', Prompt: 'Twice' }, 'Prompt'],
  ['embeddings', { input: ['Once', 1] }, 'input'],
  ['embeddings', { input: [{}] }, 'input'],
  ['embeddings', { input: [[]] }, 'input'],
  ['embeddings', { input: 'Once', stream: true }, 'stream'],
  ['embeddings', { input: 'Once', dimensions: 0 }, 'dimensions'],
  ['embeddings', { input: 'Once', encoding_format: 1 }, 'encoding_format'],
  ['embeddings', { input: 'Once', user: 1 }, 'user'],
])('%s with %j are refused, and the field named', (operation, fields, param) => {
  const refusal = refusalOf(operation, fields)
  expect(refusal).toMatchObject({ code: 'unsupported_parameter', param })
  expect(refusal.message).toContain(param)
})

test.each<[Operation, object, string]>([
  ['chat', { temperature: 'hot' }, 'temperature must be a number.'],
  ['chat', { temperature: 9 }, 'temperature must be at most 2.'],
  ['chat', { top_p: -1 }, 'top_p must be at least 0.'],
  ['chat', { seed: 1.5 }, 'seed must be a whole number.'],
  ['chat', { stream: 'yes' }, 'stream must be true or false.'],
  ['chat', { stop: {} }, 'stop must be a string or an array.'],
  ['chat', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop must have at most 4 entries.'],
  ['chat', { stop: ['a', 1] }, 'stop.1 must be a string.'],
  ['chat', { stream_options: { include_usage: 1 } }, 'stream_options.include_usage must be true or false.'],
  ['chat', { tool_choice: 1 }, 'tool_choice must be a string or an object.'],
  ['embeddings', { input: 'Once', dimensions: 'x' }, 'dimensions must be a whole number.'],
])('%s with %j are told what to send instead', (operation, fields, message) => {
  expect(refusalOf(operation, { messages: [1], ...fields }).message).toBe(message)
})

test.each<Operation>(['chat', 'completions', 'embeddings'])(
  'a model that does not serve %s is refused, and the model named',
  (operation) => {
    const fields = { model: 'mute', messages: [1], prompt: 'Once', input: 'Once' }
    expect(refusalOf(operation, fields)).toMatchObject({ code: 'unsupported_parameter', param: 'model' })
  },
)

test.each([
  ['Once', 1, 0],
  ['größe', 2, 0],
  [['Once'], 1, 2],
  [[1, 2, 3], 3, 0],
  [[[1, 2, 3]], 3, 2],
])('the prompt %j counts as %i tokens and is bounded by the body', (prompt, counted, brackets) => {
  const { bytes, request } = parse('completions', { prompt, best_of: 1, stream: true, max_tokens: 7 })
  expect(request).toMatchObject({ streamed: true, outputCap: 7 })
  const bound = bytes.length - brackets + 10
  expect(request.prompt).toMatchObject({ countedTokens: counted, bound, largestBound: bound, count: 1 })
})

test.each([
  [['Once', 'größe!'], 3, 2, 6 + 10],
  [[[1, 2, 3], [4]], 4, 2, 7 + 3],
  [Array(100).fill('a'), 25, 100, 300],
])('the prompts %j are bounded each by itself and by what stands around them', (prompt, counted, count) => {
  const { bytes, request } = parse('completions', { prompt, max_tokens: 0, echo: true })
  expect(request).toMatchObject({ outputCap: 0, prompt: { countedTokens: counted, count } })
  const sent = prompt.map((one) => Buffer.byteLength(JSON.stringify(one)))
  const around = bytes.length - Buffer.byteLength(JSON.stringify(prompt)) + 10
  expect(request.prompt.bound).toBe(sent.reduce((sum, one) => sum + one + around, 0))
})

test.each([
  ['Once', 1, 14],
  [['Once', 'größe'], 3, 14 + 17],
  [[1, 2, 3], 3, 13],
  [[[1, 2, 3], [4]], 4, 13 + 11],
  [['x'.repeat(5_000), 'a'], 1_251, 2_000 + 11],
])('the input %j is bounded input by input, and nothing is generated', (input, counted, bound) => {
  const { request } = parse('embeddings', {
    input,
    encoding_format: 'base64',
    max_tokens: 'unread',
    stream: false,
  })
  expect(request).toMatchObject({ streamed: false, outputCap: 0, prompt: { countedTokens: counted, bound } })
})

test.each<[Operation, object, string]>([
  ['completions', { prompt: Array(2_001).fill(1) }, 'prompt'],
  ['embeddings', { input: [[1], Array(2_001).fill(1)] }, 'input'],
])('%s with more tokens than the context window holds are refused untried', (operation, fields, param) => {
  expect(refusalOf(operation, fields)).toMatchObject({ code: 'context_length_exceeded', param })
})

test('tokens that just fill the context window are let through', () => {
  const { request } = parse('completions', { prompt: Array(2_000).fill(1) })
  expect(request.prompt).toMatchObject({ countedTokens: 2_000, bound: 2_000 })
})

test('images and audio count by the model’s figures, and nothing without any', () => {
  const content = [
    { type: 'text', text: 'four' },
    { type: 'image_url' },
    { type: 'image_url' },
    { type: 'input_audio' },
  ]
  const counted = (figures: object) => {
    const able = createCatalogue([{ ...model, capabilities: ['chat'], ...figures }])
    const bytes = Buffer.from(JSON.stringify({ model: 'demo', messages: [{ role: 'user', content }] }))
    return parseRequest('chat', parseModel('chat', bytes, able)).prompt.countedTokens
  }
  expect(counted({})).toBe(1)
  expect(counted({ imageTokens: 85, audioTokens: 30 })).toBe(1 + 2 * 85 + 30)
})

test.each<[string, object, number]>([
  ['none', {}, 1],
  ['null', { tools: null }, 1],
  ['a schema', { tools: [{ type: 'function', function: { name: 'fn' } }] }, 1 + Math.ceil(47 / 4)],
])('tools that are %s count as the bytes of their schemas (MET-10, REQ-25)', (_, fields, counted) => {
  const { request } = parse('chat', { messages: [{ role: 'user', content: 'four' }], ...fields })
  expect(request.prompt.countedTokens).toBe(counted)
})

test.each(['9223372036854775807', '-9223372036854775808', '1e3', 'null'])(
  'the seed %s is one of 64 bits',
  (seed) => {
    expect(() => parseText(`{"model":"demo","messages":[1],"seed":${seed}}`)).not.toThrow()
  },
)

test.each(['9223372036854775808', '-9223372036854775809', '9.3e18', '1e400'])(
  'the seed %s is none',
  (seed) => {
    expect(() => parseText(`{"model":"demo","messages":[1],"seed":${seed}}`)).toThrow(
      'seed must be a whole number from -9223372036854775808 to 9223372036854775807.',
    )
  },
)

function parseText(text: string) {
  return parseRequest('chat', parseModel('chat', Buffer.from(text), catalogue))
}

test.each([
  ['chat_template', 'x', model.contextLength],
  ['Chat_Template', 'x', model.contextLength],
  ['chat_template', null, undefined],
  ['extra_body', { messages: [{ content: [{ type: 'image_url' }] }] }, model.contextLength],
])('%s: %j makes the prompt of a chat as long as the context', (name, value, bound) => {
  const { bytes, request } = parse('chat', { messages: [{ role: 'user', content: 'hi' }], [name]: value })
  expect(request.prompt.bound).toBe(bound ?? bytes.length + model.templateTokens)
})

test('a backend whose tokenizer makes a token of every byte, and whose template adds its most, is believed', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((one) => one.toWellFormed())
  const bytesOf = (...texts: readonly string[]) => texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  const asked = fc.oneof(
    fc.array(text, { minLength: 1, maxLength: 4 }).map((turns) => ({
      operation: 'chat' as const,
      fields: { messages: turns.map((content) => ({ role: 'user', content })) },
      tokens: bytesOf(...turns) + model.templateTokens,
    })),
    fc.array(text, { minLength: 1, maxLength: 2 }).map((prompt) => ({
      operation: 'completions' as const,
      fields: { prompt },
      tokens: bytesOf(...prompt) + prompt.length * model.templateTokens,
    })),
    fc.array(text, { minLength: 1, maxLength: 2 }).map((input) => ({
      operation: 'embeddings' as const,
      fields: { input },
      tokens: bytesOf(...input) + input.length * model.templateTokens,
    })),
  )
  fc.assert(
    fc.property(asked, ({ operation, fields, tokens }) => {
      const { bound } = parse(operation, fields).request.prompt
      const context = operation === 'chat' ? model.contextLength : 2 * model.contextLength
      const reported = { promptTokens: Math.min(tokens, context), completionTokens: 7 }
      const bounds = { promptBoundTokens: bound, outputCapTokens: 7 }
      const counted = { promptTokens: 1, completionTokens: 1 }
      expect(billable(bounds, reported, counted)).toEqual({ usage: reported, usageSource: 'backend' })
    }),
  )
})
