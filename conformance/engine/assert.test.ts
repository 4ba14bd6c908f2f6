import { expect, test } from 'vitest'
import * as assert from './assert.ts'

test.each<[string, () => void]>([
  ['ok', () => assert.ok(1)],
  ['equal', () => assert.equal('a', 'a')],
  ['notEqual', () => assert.notEqual(0, '0')],
  ['deepEqual', () => assert.deepEqual({ a: [1] }, { a: [1] })],
  ['match', () => assert.match('ab', /b/)],
  ['doesNotMatch', () => assert.doesNotMatch('ab', /c/)],
])('%s holds', (_, check) => expect(check).not.toThrow())

test.each<[string, () => void, string]>([
  ['ok', () => assert.ok(0, 'it is nothing'), 'it is nothing'],
  ['equal', () => assert.equal('a', 'b', 'the letter'), "the letter\nit is 'a', not 'b'"],
  ['equal of another type', () => assert.equal(1, '1'), "it is 1, not '1'"],
  ['notEqual', () => assert.notEqual('a', 'a'), "it is 'a', which it must not be"],
  ['deepEqual', () => assert.deepEqual({ a: 1 }, { a: 2 }), 'it is { a: 1 }, not { a: 2 }'],
  ['match', () => assert.match('ab', /c/, 'a text'), "a text\nit is 'ab', which /c/ does not match"],
  ['match of no text', () => assert.match(undefined, /c/), 'it is undefined, which /c/ does not match'],
  ['doesNotMatch', () => assert.doesNotMatch('ab', /b/), "it is 'ab', which /b/ must not match"],
])('%s fails with what it found', (_, check, message) => {
  expect(check).toThrow(new assert.AssertionError({ message }))
})

test.each<[string, () => void]>([
  ['a text of a million lines', () => assert.equal('\n'.repeat(1_000_000), 'x')],
  ['a list of a million items', () => assert.deepEqual(Array(1_000_000).fill({ a: 1 }), [])],
  ['a message without end', () => assert.fail('x'.repeat(1_000_000))],
])('%s is shown in part', (_, check) => {
  let message = ''
  try {
    check()
  } catch (thrown) {
    message = (thrown as Error).message
  }
  expect(message.length).toBeGreaterThan(50)
  expect(message.length).toBeLessThan(5_000)
})
