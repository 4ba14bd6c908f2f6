import { expect, test } from 'vitest'
import { differencesOfSpelling } from './spelling.ts'

test.each([
  ['nothing', '{"a":[1,"b",null,true,{}]}', '{"a":[1,"b",null,true,{}]}', []],
  ['white space', '{ "a" : [ 1,\n"b c" ] }', '{"a":[1,"b c"]}', []],
  ['the order of members', '{"a":1,"b":{"c":2,"d":[]}}', '{"b":{"c":2,"d":[]},"a":1}', ['order']],
  ['the order of members further in', '[{"c":2,"d":[]}]', '[{"d":[],"c":2}]', ['order']],
  ['an escape in a text', '["\\u00e4 \\\\"]', '["ä \\\\"]', ['escapes']],
  ['an escape in a name', '{"a\\/b":"[{\\""}', '{"a/b":"[{\\""}', ['escapes']],
  ['numbers', '[1.0,1e2]', '[1,100]', ['numbers']],
  ['all of it', '{"a":1.0,"b":"\\u0062"}', '{"b":"b","a":1}', ['numbers', 'order', 'escapes']],
])('two texts that differ in %s', (_, one, other, expected) => {
  expect(JSON.parse(one)).toEqual(JSON.parse(other))
  expect([...differencesOfSpelling(one, other)].sort()).toEqual([...expected].sort())
})

test('a long text is read in one go', () => {
  const text = `"${'\\u0061b'.repeat(100_000)}"`
  expect([...differencesOfSpelling(text, JSON.stringify(JSON.parse(text)))]).toEqual(['escapes'])
})
