import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Backend, createBackend } from './backend.ts'
import type { UsageShape, Wire } from './behaviour.ts'
import { chat, eventsOf, post } from './exchange.ts'
import type { Rule } from './script.ts'

let backend: Backend

beforeAll(async () => {
  backend = await createBackend({ paceMs: 0 })
})
afterAll(() => backend.close())

async function streamOf(rule: Rule) {
  await backend.play({ rules: [{ chunks: ['ä', '€', ' x'], ...rule }] })
  return post(`${backend.url}/chat/completions`, chat('Hi', { stream: true }))
}

const counts = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 }
const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
const growing = [0, 11, 22, 34, 34, 34].map((count) => ({
  prompt_tokens: 12,
  completion_tokens: count,
  total_tokens: 12 + count,
}))
const absent = undefined

test.each<[UsageShape, readonly unknown[]]>([
  ['final', [absent, absent, absent, absent, absent, counts]],
  ['with-choices', [absent, absent, absent, absent, absent, counts]],
  ['merged', [absent, absent, absent, absent, counts]],
  ['first', [counts, absent, absent, absent, absent]],
  ['every', growing],
  ['late', [absent, absent, absent, absent, absent, counts]],
  ['separate-write', [absent, absent, absent, absent, absent, counts]],
  ['null-until-end', [null, null, null, null, null, counts]],
  ['zero', [absent, absent, absent, absent, absent, zeros]],
  ['none', [absent, absent, absent, absent, absent]],
  ['malformed', [absent, absent, absent, absent, absent, 'many']],
])('usage %s stands where its name says', async (usage, expected) => {
  const { text } = await streamOf({ usage, promptTokens: 12, completionTokens: 34 })
  const chunks = eventsOf(text).slice(0, -1) as { usage?: unknown; choices: unknown[] }[]
  expect(chunks.map((chunk) => chunk.usage)).toEqual(expected)
  const bare = ['merged', 'first', 'none', 'with-choices'].includes(usage)
  expect(chunks.at(-1)?.choices).toHaveLength(bare ? 1 : 0)
})

test('usage written separately arrives in a read of its own', async () => {
  const { reads } = await streamOf({ usage: 'separate-write' })
  const last = reads.slice(-2).map((read) => eventsOf(read.toString()))
  expect(last).toEqual([[expect.objectContaining({ choices: [] })], ['[DONE]']])
})

test.each<[string, Wire]>([
  ['LF', { lineEnd: 'lf' }],
  ['CRLF', { lineEnd: 'crlf' }],
  ['CR', { lineEnd: 'cr' }],
  ['a byte order mark', { bom: true }],
  ['comments', { comments: true }],
  ['no blank after the colon', { noSpace: true }],
  ['several data lines', { multiLine: true }],
  ['the id last', { idLast: true }],
  ['single bytes', { bytesPerWrite: 1 }],
  ['several events at once', { eventsPerWrite: 4 }],
])('the same events come with %s', async (_, wire) => {
  const plain = await streamOf({})
  const odd = await streamOf({ wire })
  expect(eventsOf(odd.text)).toEqual(eventsOf(plain.text))
  if (wire.lineEnd !== 'lf' && !wire.bytesPerWrite && !wire.eventsPerWrite)
    expect(odd.text).not.toBe(plain.text)
})

test('bytes written one at a time are read in very many reads', async () => {
  const { reads, text } = await streamOf({ wire: { bytesPerWrite: 1 } })
  expect(reads.length).toBeGreaterThan(Buffer.byteLength(text) / 4)
})

test('each chunk may have an id of its own', async () => {
  const { text } = await streamOf({ wire: { idPerChunk: true } })
  const ids = (eventsOf(text).slice(0, -1) as { id: string }[]).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('reasoning comes before the text, tool calls after it', async () => {
  const { text } = await streamOf({
    reasoning: 2,
    toolCalls: [{ name: 'look', arguments: ['{"a"', ':1}'] }],
    fields: { extra: { kept: 1.0 } },
  })
  const chunks = eventsOf(text).slice(1, -1) as { extra: unknown; choices: { delta: object }[] }[]
  expect(chunks.map(({ choices }) => Object.keys(choices[0]?.delta ?? {}).join())).toEqual([
    'reasoning_content',
    'reasoning_content',
    'content',
    'content',
    'content',
    'tool_calls',
    'tool_calls',
    '',
  ])
  expect(chunks.every(({ extra }) => extra !== undefined)).toBe(true)
})

test('delays are kept before the headers, before the first chunk and between chunks', async () => {
  const start = performance.now()
  await streamOf({ beforeHeadersMs: 40, beforeFirstChunkMs: 40, betweenChunksMs: 20 })
  expect(performance.now() - start).toBeGreaterThanOrEqual(115)
})
