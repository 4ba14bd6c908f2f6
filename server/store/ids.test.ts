import { expect, test } from 'vitest'
import { createId, timeOf } from './ids.ts'

test('an identifier tells when it was made', () => {
  const before = Date.now()
  const madeAt = timeOf(createId('gen-'))?.getTime()
  expect(madeAt).toBeGreaterThanOrEqual(before)
  expect(madeAt).toBeLessThanOrEqual(Date.now())
})

test.each([
  'gen-',
  'gen-none',
  `gen-8${'Z'.repeat(25)}`,
  `gen-7${'Z'.repeat(25)}`,
  `gen-6D${'0'.repeat(24)}`,
])('%s has no time that a database could hold', (id) => {
  expect(timeOf(id)).toBeUndefined()
})

test('the last time that is told is one of a database', () => {
  expect(timeOf(`gen-6C${'Z'.repeat(24)}`)?.getUTCFullYear()).toBeLessThan(9_999)
})
