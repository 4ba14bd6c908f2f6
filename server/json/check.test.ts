import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectCheck } from './check.ts'
import { membersOf } from './members.ts'

const roomy = { maxValues: 1_000_000, maxMembers: 512 }

/** Checks bytes that arrive in pieces of this size. */
function check(text: string, piece = 7, limits = roomy): ObjectCheck {
  const bytes = Buffer.from(text)
  const checked = new ObjectCheck(limits)
  for (let at = 0; at < bytes.length; at += piece) {
    if (!checked.push(bytes.subarray(at, at + piece))) return checked
  }
  checked.finish()
  return checked
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const units = fc.constantFrom(
  ...'{}[]",:\\/ \n\t0123456789.eE+-truefalsn',
  'u00e9',
  'ü',
  '🙂',
  '\u0000',
  '\u007f',
)
/** Lists and objects in each other, opened and closed one behind the other. */
const nests = fc
  .tuple(fc.array(fc.constantFrom('[', '[', '{"b":')), fc.constantFrom('0', '[]', '{}', '[ []]', '[[],[]]'))
  .map(([opening, inside]) => {
    const closing = opening.map((bracket) => (bracket === '[' ? ']' : '}')).reverse()
    return `{"a":${opening.join('')}${inside}${closing.join('')}}`
  })
const texts = fc.oneof(
  nests,
  fc.json({ noUnicodeString: false }),
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, null, 1)),
  fc.string({ unit: units }).map((text) => `{"a":${text}}`),
  fc.string({ unit: units }).map((text) => `{"a":"${text}"}`),
)

/** Good texts, and the same with one character left out, doubled or replaced. */
const damaged = fc
  .tuple(texts, fc.nat(), fc.constantFrom('none', 'none', 'drop', 'double', 'replace'), units)
  .map(([text, seed, how, unit]) => {
    if (how === 'none') return text
    const at = seed % (text.length + 1)
    const middle = how === 'drop' ? '' : how === 'double' ? text.slice(at, at + 1).repeat(2) : unit
    return text.slice(0, at) + middle + text.slice(at + 1)
  })
  // What is half a character stands for another one as soon as it is bytes.
  .map((text) => text.toWellFormed())

test('what passes is what JSON.parse reads as an object, however the bytes are cut', () => {
  fc.assert(
    fc.property(damaged, fc.integer({ min: 1, max: 9 }), (text, piece) => {
      expect(check(text, piece).flaw === undefined).toBe(isObjectText(text))
    }),
    { numRuns: 20_000 },
  )
})

test.each([
  '{"a":1,}',
  '{,}',
  '{"a" 1}',
  '{"a":}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":1e}',
  '{"a":+1}',
  '{"a":-}',
  '{"a":"\\x"}',
  '{"a":"\\u12g4"}',
  '{"a":"\u0001"}',
  '{"a":tru}',
  '{"a":nulll}',
  '{"a":[1,]}',
  '{"a":[}]',
  '{"a":[{"b":[[0]]]]}',
  '{"a":[[[0]]]]}',
  '{"a":[[[0]]}',
  '{} {}',
  '{"a":1',
  '',
  ' ',
  '{"a":"x',
  '{"a":NaN}',
  '\ufeff{}',
  '{"a":1]',
])('%j is malformed', (text) => {
  for (const piece of [1, 2, 99]) expect(check(text, piece).flaw).toBe('malformed')
})

test.each(['[]', '"x"', '1', 'null', ' true'])('%j is no object', (text) => {
  expect(check(text).flaw).toBe('not_an_object')
})

test('members stand where they are found in the whole', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, null, 1)),
        nests,
      ),
      fc.integer({ min: 1, max: 9 }),
      (object, piece) => {
        const text = ` ${object} `
        const bytes = Buffer.from(text)
        const checked = check(text, piece)
        const span = membersOf(bytes)
        expect([checked.start, checked.end]).toEqual([span.start, span.end])
        expect(checked.members).toEqual(
          span.members.map(({ start, valueStart, end }) => {
            return { start, nameEnd: expect.any(Number), valueStart, end }
          }),
        )
      },
    ),
  )
})

test('one member too many ends it at once, and members further in are not counted', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"a${index}":0`).join(',')
  const limits = { ...roomy, maxMembers: 3 }
  expect(check(`{${members(3)}}`, 99, limits).flaw).toBeUndefined()
  expect(check(`{${members(4)}`, 99, limits).flaw).toBe('too_many_members')
  expect(check(`{"a":{${members(9)}}}`, 99, limits).flaw).toBeUndefined()
})

test.each([
  ['lists and objects', '{"a":[{},{},[]]}', 7],
  ['lists in lists', '{"a":[[[[]]],[[[]]]]}', 9],
  ['members', '{"a":1,"b":[true]}', 3],
  ['what stands in a string', '{"a":["{,[,\\",{", ",,,,"]}', 3],
])('one value too many ends it at once: %s', (_, text, count) => {
  expect(check(text, 99, { ...roomy, maxValues: count }).flaw).toBeUndefined()
  expect(check(text, 99, { ...roomy, maxValues: count - 1 }).flaw).toBe('too_many_values')
})

test('nesting costs neither stack nor more than its bytes', () => {
  const depth = 400_000
  expect(check(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`, 65_536).flaw).toBeUndefined()
})
