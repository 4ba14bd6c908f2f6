import { expect, test } from 'vitest'
import { isPlain } from './plain.ts'

test.each([
  'a + b * (c ?? 1)',
  "key.state === 'expired'",
  'JSON.stringify({ ...told, n: [1] })',
  'levels.findLastIndex((level) => level < 1)',
  "/^Bearer +(\\S+)$/.exec(header ?? '')?.[1]",
])('%s only reads', (expression) => {
  expect(isPlain(expression)).toBe(true)
})

test.each([
  'await find(id)',
  'count++',
  '(kept = 1)',
  "record.state = 'ok'",
  'new Date()',
  'writePiece(this.#response, ready)',
  'randomBytes(32)',
  'make()()',
  'act?.(1)',
  'sql`update a`',
  'list.push(1)',
])('%s acts, or may act', (expression) => {
  expect(isPlain(expression)).toBe(false)
})
