import { expect, test } from 'vitest'
import { requestIdFor } from './request-id.ts'

test.each(['a', 'x'.repeat(128), 'trace~!#'])('%s is given back', (id) => {
  expect(requestIdFor(id)).toBe(id)
})

test.each([undefined, '', 'x'.repeat(129), 'a b', 'größe', 'a\tb'])('%j is replaced', (id) => {
  expect(requestIdFor(id)).toMatch(/^req-[0-9A-HJKMNP-TV-Z]{26}$/)
})
