import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMember, firstElementOf, membersOf } from './members.ts'
import { type Changes, editsOf, positionAfter, splice } from './splice.ts'

// No name holds a backslash: having once parsed {"\\":1}, V8 reads {"\u00fc":1} as that name, so it cannot judge.
const names = ['id', 'model', 'modem', 'usage', 'stream_options', '', 'a"b', 'ü', 'x\ny', '__proto__', '1']
const units = fc.constantFrom('a', 'Z', '"', '{', ']', ',', ':', '\n', 'ü', '🙂')

/** JSON text of an object with odd white space, duplicates, escaped names and numbers that parsers respell. */
const objectText = fc
  .array(fc.tuple(fc.constantFrom(...names), valueText(), space(), space(), fc.boolean()), { maxLength: 6 })
  .chain((entries) => fc.tuple(fc.constant(entries), space(), space()))
  .map(([entries, before, after]) => {
    const members = entries.map(([name, value, left, right, escaped]) => {
      const key = escaped ? escapeAll(name) : JSON.stringify(name)
      return `${left}${key}${right}:${left}${value}${right}`
    })
    return `${before}{${members.join(',')}${members.length === 0 ? before : ''}}${after}`
  })

function valueText(): fc.Arbitrary<string> {
  const scalars = [
    '1.0',
    '12345678901234567890',
    '-0',
    '1e5',
    'null',
    'true',
    '""',
    '"\\\\"',
    '"\\""',
    '{}',
    '[]',
  ]
  return fc.oneof(
    fc.constantFrom(...scalars, `"${'\\"'.repeat(60)}"`, `"${'long '.repeat(40)}\\\\"`, '[{"a":[1,"]}"]}]'),
    fc.json({ maxDepth: 3, stringUnit: units }),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  )
}

function space(): fc.Arbitrary<string> {
  return fc.constantFrom('', '', '', ' ', '\n', '\t \r\n')
}

function escapeAll(name: string): string {
  const units = name.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `"${units.join('')}"`
}

const changes: fc.Arbitrary<Changes> = fc.dictionary(
  fc.constantFrom(...names.filter((name) => name !== '__proto__')),
  fc.oneof(
    fc.option(valueText(), { nil: undefined }),
    valueText().map((text) => Buffer.from(text)),
  ),
)

test('splicing equals the same operation on the parsed object', () => {
  fc.assert(
    fc.property(objectText, changes, (text, change) => {
      const bytes = Buffer.from(text)
      const expected = new Map(Object.entries(JSON.parse(text)))
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined) expected.delete(name)
        else expected.set(name, JSON.parse(value.toString()))
      }
      const spliced = splice(bytes, membersOf(bytes), change).toString()
      expect(new Map(Object.entries(JSON.parse(spliced)))).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('every member that no change names keeps its bytes, and so does the space around the object', () => {
  fc.assert(
    fc.property(objectText, changes, (text, change) => {
      const bytes = Buffer.from(text)
      const object = membersOf(bytes)
      const edits = editsOf(object, change)
      const spliced = splice(bytes, object, change)
      const after = membersOf(spliced)
      const untouched = object.members.filter(({ name }) => !Object.hasOwn(change, name))
      for (const member of untouched) {
        const at = positionAfter(edits, member.start)
        const raw = bytes.subarray(member.start, member.end)
        expect(spliced.subarray(at, at + raw.length).equals(raw)).toBe(true)
        expect(after.members.some(({ start, name }) => start === at && name === member.name)).toBe(true)
      }
      expect(spliced.subarray(0, object.start).equals(bytes.subarray(0, object.start))).toBe(true)
      expect(spliced.subarray(after.end).equals(bytes.subarray(object.end))).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('no change leaves every byte as it is', () => {
  fc.assert(
    fc.property(objectText, (text) => {
      const bytes = Buffer.from(text)
      expect(splice(bytes, membersOf(bytes), {}).equals(bytes)).toBe(true)
    }),
  )
})

test('members are found with their names unescaped and duplicates visible', () => {
  const bytes = Buffer.from('{ "mod\\u0065l" : "a", "model":"b" }')
  const { members } = membersOf(bytes)
  expect(members.map(({ name }) => name)).toEqual(['model', 'model'])
  const last = findMember(membersOf(bytes), 'model')!
  expect(bytes.toString('utf8', last.valueStart, last.end)).toBe('"b"')
})

test('setting a name that stands twice sets it at both places', () => {
  const bytes = Buffer.from('{"model":"a","x":1.0,"model":"b"}')
  const spliced = splice(bytes, membersOf(bytes), { model: '"c"' })
  expect(spliced.toString()).toBe('{"model":"c","x":1.0,"model":"c"}')
})

test('numbers, order and white space survive a splice', () => {
  const bytes = Buffer.from('{"seed": 12345678901234567890,\n "model":"a", "temperature":1.0}')
  const spliced = splice(bytes, membersOf(bytes), { model: '"b"', stream: 'true' })
  expect(spliced.toString()).toBe(
    '{"seed": 12345678901234567890,\n "model":"b", "temperature":1.0,"stream":true}',
  )
})

test.each([
  '',
  '[]',
  '"x"',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{"a"1}',
  '{"a":"x',
  `{"a":"${'x'.repeat(99)}\\"}`,
  '{"a":[}',
  '{"a":]}',
])('%j is refused or scanned to an end, never beyond', (text) => {
  const bytes = Buffer.from(text)
  try {
    expect(membersOf(bytes).end).toBeLessThanOrEqual(bytes.length)
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(SyntaxError)
  }
})

test('a megabyte of escaped quotes, of nesting or of members is scanned in linear time', () => {
  const texts = [
    `{"a":"${'\\"'.repeat(500_000)}"}`,
    `{"a":"${'\\\\'.repeat(500_000)}"}`,
    `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    `{${'"a":1,'.repeat(150_000)}"b":2}`,
  ]
  for (const text of texts) {
    const bytes = Buffer.from(text)
    const startedAt = performance.now()
    expect(membersOf(bytes).end).toBe(bytes.length)
    // Generous: what is quadratic takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  }
})

test('the first element of an array is found, and an empty one has none', () => {
  expect(firstElementOf(Buffer.from('[ {"a":1}]'), 0)).toBe(2)
  expect(firstElementOf(Buffer.from('[ ]'), 0)).toBeUndefined()
  expect(firstElementOf(Buffer.from('null'), 0)).toBeUndefined()
})
