import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type InferenceRequest, parseModel, parseRequest } from '../../server/admission/request.ts'
import { testModel } from '../../server/admission/testing.ts'
import { createCatalogue } from '../../server/catalogue.ts'
import { ApiError } from '../../server/errors.ts'
import { backendBody } from '../../server/relay/request.ts'
import { type Found, readers } from './models.ts'

type Name = keyof typeof readers
type Recorded = { readonly body: string } & Readonly<Record<Name, Found>>

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded.json'), 'utf8')) as Recorded[]
const names = Object.keys(readers) as Name[]
const cases = recorded.flatMap(({ body, ...found }) =>
  names.map((name) => ({ name, body, found: found[name] })),
)

test.each(cases)('the model of $name reads $body as the real one did', ({ name, body, found }) => {
  expect(readers[name](body)).toEqual(found)
})

const catalogue = createCatalogue([testModel({ id: 'm' })])
const backend = { url: 'http://a.example/v1', model: 'served', usage: 'final' } as const

/** What the router makes of a body; undefined when it refuses. */
function judge(body: string): InferenceRequest | undefined {
  try {
    return parseRequest('chat', parseModel('chat', Buffer.from(body), catalogue))
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Whether nobody finds anything in what the backend is sent but what was judged. */
function expectAgreement(body: string): void {
  const request = judge(body)
  if (request === undefined) return
  const sent = backendBody(request.body, undefined, backend, request.streamed).toString()
  for (const name of names) {
    const found = readers[name](sent)
    if (found === null) continue
    const { contents, ...rest } = found
    expect(rest, name).toEqual({
      model: 'served',
      stream: request.streamed,
      max_tokens: request.outputCap ?? null,
      // An answer that is not streamed tells its usage in any case.
      include_usage: request.streamed ? true : rest.include_usage,
    })
    const said = contents.filter((content) => typeof content === 'string')
    const bytes = said.reduce((sum, content) => sum + Buffer.byteLength(content), 0)
    expect(request.prompt.countedTokens, name).toBeGreaterThanOrEqual(Math.ceil(bytes / 4))
    const hasParts = contents.some((content) => typeof content === 'object' && content !== null)
    if (hasParts) expect(request.prompt.hasOtherParts, name).toBe(true)
  }
}

test.each(recorded)('of $body nobody reads anything but what was judged', ({ body }) => expectAgreement(body))

/** Names as they are, and as other parsers might take them for one another. */
function spelling(name: string): fc.Arbitrary<string> {
  const swaps: readonly (readonly [string, string])[] = [
    ['s', '\u017f'],
    ['k', '\u212a'],
    ['i', '\u0130'],
    ['i', '\u0131'],
    ['st', '\ufb06'],
    ['e', '\uff45'],
    ['_', '-'],
    ['o', '\u{1d428}'],
    ['t', '\u200bt'],
    ['m', ' m'],
    ['s', 'ss'],
    ['', ''],
    ['n', '\u043f'],
  ]
  const swapped = fc.constantFrom(...swaps).map(([from, to]) => name.replace(from, to))
  const cased = fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((upper) => [...name].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(''))
  const plain = { weight: 6, arbitrary: fc.constant(name) }
  return fc.oneof(plain, cased, swapped, fc.constant(`${name}\0`))
}

/** A name in quotes, with none, some or all of it escaped. */
function quoted(name: string): fc.Arbitrary<string> {
  const escaped = Array.from({ length: name.length }, (_, index) => {
    return `\\u${name.charCodeAt(index).toString(16).padStart(4, '0')}`
  })
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(JSON.stringify(name)) },
    fc.constant(`"${escaped.join('')}"`),
    fc.nat(Math.max(0, name.length - 1)).map((at) => {
      const text = [...escaped.keys()].map((index) =>
        index === at ? escaped[index]! : JSON.stringify(name[index]!).slice(1, -1),
      )
      return `"${text.join('')}"`
    }),
  )
}

function member(name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(spelling(name).chain(quoted), value).map(([spelled, text]) => `${spelled}:${text}`)
}

function object(...members: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(...members), { maxLength: 4 }).map((entries) => `{${entries.join(',')}}`)
}

const flag = fc.constantFrom('true', 'false', 'null')
const number = fc.constantFrom('1', '300', 'null', '7.0')
const content = fc.constantFrom('"a"', '"long enough to be seen"', 'null', '[{"type":"image_url"}]', '5')
const message = object(
  member('content', content),
  member('role', fc.constant('"user"')),
  member('other', content),
)
const options = object(
  member('include_usage', flag),
  member('other', flag),
  member('continuous_usage_stats', flag),
)
const messages = fc.array(message, { minLength: 1, maxLength: 3 }).map((list) => `[${list.join(',')}]`)
const more = fc.array(
  fc.oneof(
    member('model', fc.constantFrom('"m"', '"n"', 'null')),
    member('messages', messages),
    member('stream', flag),
    member('max_tokens', number),
    member('stream_options', fc.oneof(options, fc.constant('null'))),
    member('unknown', options),
  ),
  { maxLength: 4 },
)
const bodies = fc.tuple(messages, more, fc.nat(5)).map(([list, others, at]) => {
  return `{${[...others.slice(0, at), `"model":"m","messages":${list}`, ...others.slice(at)].join(',')}}`
})

test('of generated bodies nobody reads anything but what was judged, and many are not refused', () => {
  let judged = 0
  fc.assert(
    fc.property(bodies, (body) => {
      expectAgreement(body)
      if (judge(body) !== undefined) judged++
    }),
    { numRuns: 5_000 },
  )
  expect(judged).toBeGreaterThan(500)
})
