import { expect, test } from 'vitest'
import { checkSending } from './sent-twice.ts'

const received = { nonce: '1.1.1', times: 1, afterToken: 0, hasToken: true }

test('what came once, or again before a token, is fine', () => {
  expect(checkSending([received, { ...received, times: 2 }], 2)).toEqual([])
})

test('what came again after a token is told, and what nobody accepted', () => {
  expect(checkSending([{ ...received, times: 2, afterToken: 1 }], 1)).toMatchObject([{ check: 'sent-twice' }])
  expect(checkSending([received, received], 1)).toMatchObject([{ check: 'sent-twice' }])
})
