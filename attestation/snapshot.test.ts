import { expect, test } from 'vitest'
import { digestOf } from './digest.ts'
import { parseJson } from './json.ts'
import { checkSnapshot } from './snapshot.ts'
import { SNAPSHOT_TEXT } from './testing/evidence.ts'

/** Judges the snapshot as a payload spells it against the digest of another text. */
function check(spelled: string, digested: string): void {
  const { value, members } = parseJson(Buffer.from(`{"evidence":${spelled}}`), 100_000)
  const { evidence = null } = value as Record<string, never>
  checkSnapshot({ evidence, evidenceText: members.get('evidence') ?? '', evidenceDigest: digestOf(digested) })
}

test.each([
  ['members in another order', '{"b":1,"a":2}', '{"a":2,"b":1}'],
  ['numbers spelled otherwise', '[1.0,1E3,-0,0.10,1e21,1e-7]', '[1,1000,0,0.1,1e+21,1e-7]'],
  ['strings spelled otherwise', '["\\u0061\\/\\u20ac\\u000f\\u000a"]', '["a/€\\u000f\\n"]'],
  ['names in the order of UTF-16', '{"\ufb33":1,"😀":2,"\u20ac":3}', '{"\u20ac":3,"😀":2,"\ufb33":1}'],
  ['names that look like numbers', '{"10":1,"9":2}', '{"10":1,"9":2}'],
  [
    'names with a meaning in JavaScript',
    '{"b":1,"__proto__":{"a":1},"toJSON":2}',
    '{"__proto__":{"a":1},"b":1,"toJSON":2}',
  ],
  ['white space', ' { "a" : [ 1 , 2 ] }\n', '{"a":[1,2]}'],
])('the digest of the canonical form is accepted: %s', (_, spelled, canonical) => {
  expect(() => check(spelled, canonical)).not.toThrow()
})

test.each([
  ['names that look like numbers, in their own order', '{"b": 1, "10": 2, "9": 3}', '{"b":1,"10":2,"9":3}'],
  ['numbers as they are spelled', '[ 1.0, 1E3 ]', '[1.0,1E3]'],
  ['strings as they are spelled', '[ "\\u0061 \\" \\\\", " \\\\" ]', '["\\u0061 \\" \\\\"," \\\\"]'],
  ['tabs and line breaks', '{\r\n\t"a":\t"b  c" }', '{"a":"b  c"}'],
])('the digest of the text without white space is accepted: %s', (_, spelled, raw) => {
  expect(() => check(spelled, raw)).not.toThrow()
})

test.each([
  ['the text with its white space', '{"b": 1, "a": 2}', '{"b": 1, "a": 2}'],
  ['what JSON.parse and JSON.stringify make of it', '{"b":1.0,"10":2,"9":3}', '{"9":3,"10":2,"b":1}'],
  ['another snapshot', '{"a":1}', '{"a":2}'],
  ['no snapshot', '{"a":1}', ''],
  ['the text without the spaces in its strings', '{"a":"b c"}', '{"a":"bc"}'],
])('no other digest is: of %s', (_, spelled, other) => {
  expect(() => check(spelled, other)).toThrow(
    expect.objectContaining({ stage: 'jws', reason: 'digest_mismatch' }),
  )
})

test('a mebibyte is judged within seconds', () => {
  const text = `{"a":"${'x\\n'.repeat(300_000)}","b":[${'1 , '.repeat(30_000)}1]}`
  const start = performance.now()
  check(text, text.replaceAll(' ', ''))
  // Generous: what is quadratic takes minutes.
  expect(performance.now() - start).toBeLessThan(20_000)
  expect(() => check(SNAPSHOT_TEXT, SNAPSHOT_TEXT)).not.toThrow()
})
