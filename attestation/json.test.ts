import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'
import { JsonError } from './json-value.ts'

const PARTS = 100_000
const read = (text: string) => parseJson(Buffer.from(text), PARTS).value
const fault = (fault: string) => expect.objectContaining({ fault })

test('every JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), fc.constantFrom(0, 2), (text, indent) => {
      fc.pre(!/\d{16}/.test(text))
      const value: unknown = JSON.parse(text)
      expect(read(JSON.stringify(value, null, indent))).toEqual(value)
    }),
  )
})

test('what JSON.parse refuses is refused, whatever was put into the text', () => {
  const insertion = fc.string({
    minLength: 1,
    maxLength: 3,
    unit: fc.constantFrom(...'{}[]",:\\u0 1e.-+\ntn'),
  })
  fc.assert(
    fc.property(fc.json(), fc.nat(), insertion, (text, at, inserted) => {
      const start = at % (text.length + 1)
      const changed = text.slice(0, start) + inserted + text.slice(start)
      if (isJson(changed)) return
      expect(() => read(changed)).toThrow(JsonError)
    }),
  )
})

test.each([
  ['{"a":1,"a":1}', 'at the top'],
  ['[{"a":{"b":1,"c":2,"b":3}}]', 'deep down'],
  ['{"a":1,"\\u0061":2}', 'once escaped'],
  ['{"":1,"":2}', 'without letters'],
  ['{"__proto__":1,"__proto__":2}', 'with a meaning in JavaScript'],
  ['{"\\u00fc":1,"ü":2}', 'beyond ASCII'],
])('%s names a member twice, %s, and is refused', (text) => {
  expect(() => read(text)).toThrow(fault('duplicate_key'))
})

test('the same name in two objects is no duplicate', () => {
  expect(read('{"a":{"a":1},"b":[{"a":1},{"a":1}]}')).toEqual({ a: { a: 1 }, b: [{ a: 1 }, { a: 1 }] })
})

test('names that V8 mistakes for one another are read from the text', () => {
  read('{"\\\\":1}')
  expect(Object.keys(read('{"\\u00fc":1}') as object)).toEqual(['ü'])
})

test('no name has a meaning of its own', () => {
  const value = read('{"__proto__":{"admin":true},"constructor":1}') as Record<string, unknown>
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
  expect(value.admin).toBeUndefined()
})

test.each(['9007199254740991', '9007199254740992', '-9007199254740992', '1e21', '0.1', '-0'])(
  '%s is read',
  (text) => {
    expect(read(text)).toBe(Number(text))
  },
)

test.each([
  ['an integer beyond 2^53', '9007199254740993'],
  ['an integer below -2^53', '{"a":[-9007199254740993]}'],
  ['a number beyond all doubles', '1e999'],
  ['half of a surrogate pair', '"\\ud800"'],
  ['the other half', '["\\udc00x"]'],
  ['nesting beyond 128', '['.repeat(129) + ']'.repeat(129)],
])('%s is refused as ambiguous', (_, text) => {
  expect(() => read(text)).toThrow(fault('ambiguous'))
})

test('nesting of 128 is read', () => {
  expect(() => read('['.repeat(128) + ']'.repeat(128))).not.toThrow()
})

test.each([
  ['nothing', ''],
  ['a byte order mark', '\uFEFF{}'],
  ['a comma too many', '[1,]'],
  ['a leading zero', '01'],
  ['a bare word', 'undefined'],
  ['a control character in a string', '"\n"'],
  ['an unknown escape', '"\\x41"'],
  ['single quotes', "{'a':1}"],
  ['a comment', '{} // x'],
  ['two documents', '{}{}'],
  ['a no-break space', '\u00a0{}'],
])('%s is no JSON', (_, text) => {
  expect(() => read(text)).toThrow(fault('not_json'))
})

test.each([
  ['a byte that is never UTF-8', [0x22, 0xff, 0x22]],
  ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
  ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
])('%s is no JSON', (_, bytes) => {
  expect(() => parseJson(Uint8Array.from(bytes), PARTS)).toThrow(fault('not_json'))
})

test('the members of the top-level object are given as they are spelled, and only those', () => {
  const { members } = parseJson(Buffer.from('{ "a" : {"b": 1.0},\n"\\u0063":[ 1 ] }'), PARTS)
  expect([...members].map(([name, text]) => [name, text.trim()])).toEqual([
    ['a', '{"b": 1.0}'],
    ['c', '[ 1 ]'],
  ])
})

test.each([
  ['a string that never ends', `"${'x'.repeat(1 << 20)}`],
  ['a string of escapes that never ends', `"${'\\n'.repeat(1 << 19)}`],
  ['a number of a million digits', '9'.repeat(1 << 20)],
  ['a million brackets', '['.repeat(1 << 20)],
])('%s is refused within seconds', (_, text) => {
  const start = performance.now()
  expect(() => read(text)).toThrow(JsonError)
  // Generous: what is quadratic takes minutes.
  expect(performance.now() - start).toBeLessThan(20_000)
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test.each([
  ['values', '[1,2,[3]]', 5],
  ['names and values', '{"a":{"b":1}}', 5],
  ['empty ones', '[[],{},""]', 4],
])('%s are counted, and one more than may be is too much', (_, text, parts) => {
  expect(parseJson(Buffer.from(text), parts).value).toBeDefined()
  expect(() => parseJson(Buffer.from(text), parts - 1)).toThrow(fault('too_large'))
})

test('what is too much is told before the rest is read', () => {
  expect(() => parseJson(Buffer.from('[1,2,3,'), 2)).toThrow(fault('too_large'))
})
