import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeMatrix, PAGE } from './matrix.ts'

test('the page of faults and rules is what npm run generate writes', () => {
  expect(readFileSync(PAGE, 'utf8') === makeMatrix(), 'run npm run generate').toBe(true)
})
