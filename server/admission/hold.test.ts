import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costMicros } from '../metering/price.ts'
import { boundPrompt, capOutput, holdMicros } from './hold.ts'

const demo = { contextLength: 32_768, templateTokens: 1_024, maxOutputTokens: 16_384 }
const pricing = { promptMicros: 150_000, completionMicros: 600_000 }
const text = (bytes: number) => ({ bytes, hasOtherParts: false })

test('the worked numbers: a body of 400 bytes holds 10,044 micro-dollars', () => {
  const bound = boundPrompt(text(400), demo)
  expect(bound).toBe(1_424)
  expect(capOutput(undefined, bound, demo)).toEqual({ tokens: 16_384, sent: 16_384 })
  expect(holdMicros(bound, 16_384, pricing)).toBe(10_044)
})

test.each([
  ['a short body', text(400), 1_424],
  ['a body longer than the context', text(100_000), 32_768],
  ['an image', { bytes: 10, hasOtherParts: true }, 32_768],
])('%s bounds the prompt', (_, size, bound) => {
  expect(boundPrompt(size, demo)).toBe(bound)
})

test.each([
  ['the client names one', 100, 1_424, { tokens: 100, sent: undefined }],
  ['the client names more than the context', 1_000_000, 1_424, { tokens: 32_768, sent: undefined }],
  [
    'the client names one that does not fit beside the prompt',
    32_000,
    32_768,
    { tokens: 32_000, sent: undefined },
  ],
  ['none is named and the model’s fits', undefined, 16_384, { tokens: 16_384, sent: 16_384 }],
  ['none is named and the model’s does not fit', undefined, 16_385, { tokens: 32_768, sent: undefined }],
])('the output cap when %s', (_, requested, bound, cap) => {
  expect(capOutput(requested, bound, demo)).toEqual(cap)
})

test('no usage within the bounds costs more than the hold', () => {
  const size = fc.integer({ min: 0, max: 40_000 })
  fc.assert(
    fc.property(
      size,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (bytes, prompt, completion) => {
        const bound = boundPrompt(text(bytes), demo)
        const cap = capOutput(undefined, bound, demo).tokens
        const usage = {
          promptTokens: Math.floor(bound * prompt),
          completionTokens: Math.floor(cap * completion),
        }
        expect(costMicros(usage, pricing)).toBeLessThanOrEqual(holdMicros(bound, cap, pricing))
      },
    ),
  )
})
