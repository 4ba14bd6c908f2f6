import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Operation } from '../../operation.ts'
import { StreamRewriter } from './rewriter.ts'

const ID = 'gen-01JZZZZZZZZZZZZZZZZZZZZZZZ'
const MODEL = 'demo/tiny-chat'

interface Setting {
  readonly learns?: boolean
  readonly includeUsage?: boolean
  readonly operation?: Operation
  readonly maxEventBytes?: number
}

/** What a stream came to: the bytes for the client and all that was metered. */
function rewrite(pieces: readonly Buffer[], setting: Setting = {}) {
  const rewriter = new StreamRewriter({
    id: ID,
    model: MODEL,
    operation: 'chat',
    includeUsage: false,
    maxEventBytes: 1_048_576,
    ...setting,
  })
  const sent = pieces.map((piece) => rewriter.read(Buffer.from(piece)))
  rewriter.end()
  const { deltas, textBytes, tokens, reported, isUsageStale, finishReason, created, isDone, fault } = rewriter
  const usage = reported && { ...reported.usage, bytes: reported.bytes.toString() }
  const text = Buffer.concat(sent).toString('latin1')
  return { text, deltas, textBytes, tokens, usage, isUsageStale, finishReason, created, isDone, fault }
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const offsets = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ]
  return offsets.slice(1).map((offset, index) => bytes.subarray(offsets[index], offset))
}

function events(text: string): unknown[] {
  const parts = text.split('\n\n')
  expect(parts.pop()).toBe('')
  return parts.map((part) => {
    expect(part.startsWith('data: ')).toBe(true)
    return JSON.parse(Buffer.from(part.slice(6), 'latin1').toString())
  })
}

/** A string as some encoder would spell it. */
const spelled = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.nat(2)).map(([text, style]) => {
  const plain = JSON.stringify(text)
  if (style === 0) return plain
  if (style === 1) return plain.replaceAll('/', '\\/')
  return plain.replace(/[^\x20-\x7e]/gu, (unit) => escapeUnits(unit))
})

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
    .join('')
}

const head = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"tiny-chat"'
const reasons = ['stop', 'length']
const usages = [
  'null',
  '{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}',
  '{"prompt_tokens":-1}',
  '[]',
]

/** JSON text of a chunk. The same shapes come again and again, so that templates are learnt, left and learnt anew. */
const chunk = fc
  .tuple(
    fc.constantFrom(
      ...[
        'content',
        'content',
        'content',
        'reasoning',
        'reasoning_content',
        'text',
        'tool',
        'role',
        'finish',
      ],
      ...['usage', 'merged', 'null usage', 'null usage', 'odd', 'filter'],
    ),
    spelled,
    fc.constantFrom(...usages),
  )
  .map(([kind, text, usage]) => {
    const delta = (inside: string, more = '') =>
      `{${head},"choices":[{"index":0,"delta":{${inside}},"finish_reason":null}]${more}}`
    switch (kind) {
      case 'text':
        return `{${head},"choices":[{"text":${text},"index":0,"finish_reason":null}]}`
      case 'tool':
        return delta(`"tool_calls":[{"index":0,"function":{"arguments":${text}}}]`)
      case 'role':
        return delta('"role":"assistant","content":""')
      case 'finish':
        return `{${head},"choices":[{"delta":{"content":${text}},"finish_reason":"${reasons[text.length % 2]}"}]}`
      case 'usage':
        return `{${head},"choices":[],"usage":${usage}}`
      case 'merged':
        return delta(`"content":${text}`, `,"usage":${usage}`)
      case 'null usage':
        return `{${head},"usage":null,"choices":[{"index":0,"delta":{"content":${text}}}]}`
      case 'odd':
        return `{ "choices" :[ {"delta":{ "content" : ${text} , "x":1.0}} ] ,"model":"a","model":"b","n":1e2}`
      case 'filter':
        return `{${head},"choices":[],"prompt_filter_results":[{"content":${text}}]}`
      default:
        return delta(`"${kind}":${text}`)
    }
  })

/** An event as a backend may frame it. */
const framed = fc.tuple(chunk, fc.nat(15)).map(([json, style]) => {
  if (style === 0) return `data:${json}\r\n\r\n`
  if (style === 1) return `: ping\n\ndata: ${json}\n\n`
  if (style === 2) return `event: x\ndata: ${json}\n\n`
  if (style === 3) return `data: ${json.replace(',', ',\ndata: ')}\n\n`
  if (style === 4) return `data: ${json}\r\r`
  return `data: ${json}\n\n`
})

const stream = fc
  .tuple(
    fc.constantFrom('', '\u{feff}'),
    fc.array(framed, { maxLength: 12 }),
    fc.constantFrom('', 'data: [DONE]\n\n'),
  )
  .map(([bom, parts, done]) => Buffer.from(bom + parts.join('') + done))

test('the fast path sends the same bytes and counts the same as the slow one, however the stream is cut', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 6 }), fc.boolean(), (bytes, places, includeUsage) => {
      const slow = rewrite([bytes], { includeUsage, learns: false })
      expect(rewrite([bytes], { includeUsage })).toEqual(slow)
      expect(rewrite(cut(bytes, places), { includeUsage })).toEqual(slow)
      expect(rewrite(cut(bytes, places), { includeUsage, learns: false })).toEqual(slow)
    }),
    { numRuns: 3_000 },
  )
})

test('bytes flipped in a learnt stream never make the fast path differ from the slow one', () => {
  const one = (text: string) =>
    `data: {${head},"choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`
  const bytes = Buffer.from(one('a') + one('b\\u00e9\\n') + one('') + one('ü') + one('d'))
  fc.assert(
    fc.property(
      fc.nat(bytes.length - 1),
      fc.nat(255),
      fc.array(fc.nat(), { maxLength: 2 }),
      (at, value, places) => {
        const flipped = Buffer.from(bytes)
        flipped[at] = value
        const slow = rewrite([flipped], { learns: false })
        expect(rewrite([flipped])).toEqual(slow)
        expect(rewrite(cut(flipped, places))).toEqual(slow)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('a chunk keeps everything but id, model and usage', () => {
  fc.assert(
    fc.property(chunk, fc.boolean(), (json, includeUsage) => {
      const { text, fault } = rewrite([Buffer.from(`data: ${json}\n\n`)], { includeUsage })
      expect(fault).toBeUndefined()
      const value = JSON.parse(json)
      const isUsageOnly = value.choices.length === 0 && value.usage != null
      const expected = { ...value, id: ID, model: MODEL }
      if (value.usage !== null || !includeUsage) delete expected.usage
      expect(events(text)).toEqual(isUsageOnly ? [] : [expected])
    }),
    { numRuns: 2_000 },
  )
})

test('text of many bytes arrives equal when the backend sends it byte by byte', () => {
  const words = ['Grüße', ' 世界', ' 👋🏽', '\n', ' "quoted" \\ ', '']
  for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
    const parts = words.map((word) => {
      const value = {
        id: 'x',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { content: word } }],
      }
      return `data: ${JSON.stringify(value)}${end}`
    })
    const bytes = Buffer.from(`\u{feff}${parts.join('')}data: [DONE]${end}`)
    const { text, deltas, textBytes, tokens, isDone } = rewrite(
      Array.from(bytes, (byte) => Buffer.from([byte])),
    )
    const said = events(text) as { choices: { delta: { content: string } }[] }[]
    expect(said.map(({ choices }) => choices[0]!.delta.content)).toEqual(words)
    expect({ deltas, textBytes, isDone }).toEqual({ deltas: 5, textBytes: 36, isDone: true })
    expect(tokens).toBe(9)
  }
})

const text = (content: string, usage = '') =>
  `data: {${head},"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]${usage}}\n\n`
const counted = (prompt: number, completion: number) =>
  `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${prompt + completion}}`
const finish = (usage = '') =>
  `data: {${head},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]${usage}}\n\n`

test.each([
  ['alone at the end', [text('a'), finish(), `data: {"choices":[],"usage":${counted(9, 2)}}\n\n`], [9, 2]],
  ['without choices', [text('a'), finish(), `data: {"usage":${counted(9, 2)}}\n\n`], [9, 2]],
  ['merged with the finish', [text('a'), finish(`,"usage":${counted(9, 2)}`)], [9, 2]],
  ['on the first chunk only', [text('a', `,"usage":${counted(9, 2)}`), text('b'), finish()], [9, 2]],
  [
    'on every chunk',
    [text('a', `,"usage":${counted(9, 1)}`), text('b', `,"usage":${counted(9, 2)}`), finish()],
    [9, 2],
  ],
  ['null on the others', [text('a', ',"usage":null'), finish(`,"usage":${counted(9, 2)}`), text('')], [9, 2]],
  ['null at the end', [text('a', `,"usage":${counted(9, 2)}`), finish(',"usage":null')], [9, 2]],
  ['zero', [text('a'), finish(`,"usage":${counted(0, 0)}`)], [0, 0]],
  ['malformed after a good one', [finish(`,"usage":${counted(9, 2)}`), text('', ',"usage":"x"')], [9, 2]],
  ['negative', [text('a'), finish(`,"usage":${counted(-1, 2)}`)], undefined],
  ['fractional', [text('a'), finish(`,"usage":${counted(1.5, 2)}`)], undefined],
  ['in strings', [text('a'), finish(',"usage":{"prompt_tokens":"9","completion_tokens":"2"}')], undefined],
  ['beyond 32 bits', [text('a'), finish(`,"usage":${counted(2 ** 31, 2)}`)], [2 ** 31, 2]],
  ['incomplete', [text('a'), finish(',"usage":{"prompt_tokens":9}')], undefined],
  ['absent', [text('a'), finish()], undefined],
] as const)('usage %s is read, and no chunk shows it', (_, parts, expected) => {
  const bytes = Buffer.from(`${parts.join('')}data: [DONE]\n\n`)
  for (const pieces of [
    [bytes],
    parts.map((part) => Buffer.from(part)),
    Array.from(bytes, (b) => Buffer.from([b])),
  ]) {
    for (const includeUsage of [true, false]) {
      const { usage, text: sent } = rewrite(pieces, { includeUsage })
      expect(usage && [usage.promptTokens, usage.completionTokens]).toEqual(expected)
      for (const event of events(sent) as { usage?: unknown; choices: unknown[] }[]) {
        expect(event.usage ?? null).toBeNull()
        expect('usage' in event && !includeUsage).toBe(false)
        expect(event.choices).toHaveLength(1)
      }
    }
  }
})

test('usage that text came after is stale, and usage with the last text is not', () => {
  const usage = `,"usage":${counted(9, 1)}`
  expect(rewrite([Buffer.from(text('a', usage))])).toMatchObject({ isUsageStale: false })
  expect(rewrite([Buffer.from(text('a', usage) + finish())])).toMatchObject({ isUsageStale: false })
  expect(rewrite([Buffer.from(text('a', usage) + text('b'))])).toMatchObject({
    isUsageStale: true,
    tokens: 2,
  })
})

test('a delta with text, reasoning or a tool call is one token, and one without is none', () => {
  const deltas: readonly (readonly [object, number])[] = [
    [{ content: 'a' }, 1],
    [{ content: 'a', reasoning: 'b' }, 1],
    [{ reasoning_content: 'a' }, 1],
    [{ tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] }, 1],
    [{ tool_calls: [{ index: 0, function: { arguments: '{' } }] }, 1],
    [{ function_call: { arguments: '{' } }, 1],
    [{ tool_calls: [{ index: 0, type: 'custom', custom: { name: 'f', input: '' } }] }, 1],
    [{ tool_calls: [{ index: 0, custom: { input: 'l' } }] }, 1],
    [{ content: [{ type: 'text', text: 'a' }] }, 1],
    [{ role: 'assistant', content: '' }, 0],
    [{ content: null, tool_calls: [] }, 0],
    [{}, 0],
  ]
  for (const [delta, tokens] of deltas) {
    const bytes = Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)
    expect(rewrite([bytes, bytes])).toMatchObject({ tokens: 2 * tokens })
  }
})

test.each([
  ['no JSON', 'data: {"choices":[\n\n', { kind: 'malformed' }],
  ['no object', 'data: []\n\n', { kind: 'malformed' }],
  ['no choices', 'data: {"message":"out of memory"}\n\n', { kind: 'malformed' }],
  ['choices that are no list', 'data: {"choices":{}}\n\n', { kind: 'malformed' }],
  ['an error', 'data: {"error":{"message":"x"}}\n\n', { kind: 'error', body: { error: { message: 'x' } } }],
  ['an error that is a string', 'data: {"error":"x","choices":[]}\n\n', { kind: 'error' }],
  ['an endless event', `data: ${'x'.repeat(2_000)}`, { kind: 'oversize' }],
])('%s is a fault; what came before it is delivered and nothing after it', (_, bad, fault) => {
  const result = rewrite([Buffer.from(`${text('a')}${text('b')}${bad}${text('c')}data: [DONE]\n\n`)], {
    maxEventBytes: 1_000,
  })
  expect(result).toMatchObject({ tokens: 2, isDone: false, fault })
  expect(events(result.text)).toHaveLength(2)
})

test.each([false, true])(
  'an event that is no UTF-8 is a fault wherever it comes, learnt (%s) or not',
  (learns) => {
    const bad = Buffer.from(text('x'))
    bad[bad.lastIndexOf('x')] = 0xff
    const good = Buffer.from(text('a'))
    for (const before of [0, 1, 2, 5]) {
      const whole = Buffer.concat([...Array.from({ length: before }, () => good), bad, good])
      for (const pieces of [[whole], [whole.subarray(0, good.length), whole.subarray(good.length)]]) {
        const result = rewrite(pieces, { learns })
        expect(result).toMatchObject({ tokens: before, fault: { kind: 'malformed' } })
        expect(events(result.text)).toHaveLength(before)
      }
    }
  },
)

test.each([
  'a',
  'é',
  '世',
  '👋',
  '\\u0041',
  '\\u00e9',
  '\\u4e16',
  '\\ud83d\\udc4b',
  '\\ud83d',
  '\\udc4b',
  '\\n',
  '\\\\ud83d',
])('the bytes of %s are counted as those of the text that it stands for', (written) => {
  const bytes = Buffer.byteLength(JSON.parse(`"${written.repeat(20)}"`))
  const pieces = [Buffer.from(text(written.repeat(20)).repeat(3))]
  for (const learns of [false, true]) {
    expect(rewrite(pieces, { learns })).toMatchObject({
      deltas: 3,
      textBytes: 3 * bytes,
      tokens: Math.ceil((3 * bytes) / 4),
    })
  }
})

test('nothing after [DONE] is looked at', () => {
  const result = rewrite([Buffer.from(`${text('a')}data: [DONE]\n\ngarbage\n\n`), Buffer.from('data: {\n\n')])
  expect(result).toMatchObject({ tokens: 1, isDone: true, fault: undefined })
})

test('a [DONE] that only lacks its empty line ends the stream, half of one does not', () => {
  expect(rewrite([Buffer.from(`${text('a')}data: [DONE]`)])).toMatchObject({ isDone: true })
  expect(rewrite([Buffer.from(`${text('a')}data: [DONE]\n`)])).toMatchObject({ isDone: true })
  expect(rewrite([Buffer.from(`${text('a')}data: [DONE`)])).toMatchObject({ isDone: false })
})

test('random bytes never throw and never end a stream well', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (pieces) => {
      const { isDone } = rewrite(pieces.map((piece) => Buffer.from(piece)))
      expect(isDone).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

test('of the choices nothing is kept but numbers, for an index may be as long as an event: any other is the first', () => {
  const one = (index: string, reason: string) =>
    Buffer.from(
      `data: {${head},"choices":[{"index":${index},"delta":{"content":"a"},"finish_reason":${reason}}]}\n\n`,
    )
  const rewriter = new StreamRewriter({
    id: ID,
    model: MODEL,
    operation: 'chat',
    includeUsage: false,
    maxEventBytes: 1_048_576,
  })
  for (const index of ['"one"', '"two"', '{}', '[]', 'null']) rewriter.read(one(index, 'null'))
  expect(rewriter.isFinished).toBe(false)
  rewriter.read(one('0', '"stop"'))
  expect(rewriter.isFinished).toBe(true)
})
