import { expect, test } from 'vitest'
import { spellingOf } from './spelling.ts'

const spelled = (evidence: string) => {
  const document = `{ "before": {"evidence": 0}, "evidence" : ${evidence} , "after": [ {"evidence":0} ] }`
  return spellingOf(document, 'evidence', JSON.parse(document).evidence)
}

test.each([
  ['names that look like numbers, in their own order', '{"b": 1, "10": 2, "9": 3}', '{"b":1,"10":2,"9":3}'],
  ['numbers as they are spelled', '[ 1.0, 1E3, -0, 1e21 ]', '[1.0,1E3,-0,1e21]'],
  ['strings as they are spelled', '[ "\\u0061 \\" \\\\", " \\\\" ]', '["\\u0061 \\" \\\\"," \\\\"]'],
  ['tabs and line breaks', '{\r\n\t"a":\t"b  c" }', '{"a":"b  c"}'],
  ['signs within strings', '{"a:{": "}],:" }', '{"a:{":"}],:"}'],
  ['the largest integer', '[9007199254740992]', '[9007199254740992]'],
  ['no object', ' null ', 'null'],
])('a member is found as it is spelled: %s', (_, evidence, expected) => {
  expect(spelled(evidence)).toBe(expected)
})

test.each([
  ['two equal names', '{"a":1,"a":2}'],
  ['two equal names, one of them escaped', '{"a":1,"\\u0061":2}'],
  ['an integer that is read as another', '[9007199254740993]'],
])('what was read is less than the text, and it is not taken for it: %s', (_, evidence) => {
  expect(spelled(evidence)).toBeUndefined()
})

test('an escaped name is the name, the last of two counts, and what is not there has no spelling', () => {
  expect(spellingOf('{"\\u0061": 1}', 'a', 1)).toBe('1')
  expect(spellingOf('{"a": 1, "a": [ 2 ]}', 'a', [2])).toBe('[2]')
  expect(spellingOf('{"b": 1}', 'a', null)).toBeUndefined()
})

test('a long document is read at once', () => {
  const text = 'x\\n'.repeat(300_000)
  const value = [text, ...Array.from({ length: 30_000 }, (_, index) => index)]
  expect(spelled(JSON.stringify(value, null, 2))).toBe(JSON.stringify(value))
})
