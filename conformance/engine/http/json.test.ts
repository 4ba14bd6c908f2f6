import { expect, test } from 'vitest'
import { parsed, parseJson } from './json.ts'

test('JSON is read as it is, brackets in texts and all', () => {
  expect(parseJson(`{"a":[1,{"b":"${'['.repeat(100)}"}]}`)).toEqual({ a: [1, { b: '['.repeat(100) }] })
})

test.each(['['.repeat(100_000), '{"a":'.repeat(1_000), '{', ''])('%.20s… is none', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})

test.each(['null', '[]', 'x', undefined])('%s is no object that was sent, and fails the product', (text) => {
  expect(() => parsed(text)).toThrow(/what was sent is no JSON object/)
})
