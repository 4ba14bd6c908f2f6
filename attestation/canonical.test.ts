import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { parseJson } from './json.ts'

const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' })).filter((text) => text.isWellFormed())
const snapshots = fc.anything({
  key: fc.oneof(texts, fc.nat().map(String), fc.constant('__proto__'), fc.constant('toJSON')),
  values: [
    fc.constant(null),
    fc.boolean(),
    texts,
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ],
  maxDepth: 4,
})

test('the canonical form is the one that another implementation writes', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      // Whole numbers beyond 2^53 are not read.
      const text = JSON.stringify(snapshot, (_, one: unknown) =>
        typeof one === 'number' && Number.isInteger(one) && !Number.isSafeInteger(one) ? 0 : one,
      )
      const { value } = parseJson(Buffer.from(text), 10_000)
      expect(canonicalJson(value)).toBe(canonicalize(value))
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['[ ]', '[]'],
  ['{ }', '{}'],
  ['[[ ],{ },[[0 ]]]', '[[],{},[[0]]]'],
  ['{"b":1,"a":{"d":[true,null],"c":"\\u0020"}}', '{"a":{"c":" ","d":[true,null]},"b":1}'],
  ['{"\\uD83D\\uDE00":1,"\\uFB33":2,"10":3,"9":4}', '{"10":3,"9":4,"\u{1F600}":1,"\uFB33":2}'],
  ['[1E3,-0,1e-7,0.10]', '[1000,0,1e-7,0.1]'],
])('%s is written %s', (text, expected) => {
  expect(canonicalJson(parseJson(Buffer.from(text), 100).value)).toBe(expected)
})
