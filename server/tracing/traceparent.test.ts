import { expect, test } from 'vitest'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test.each([
  ['a recorded one', `00-${TRACE}-${SPAN}-01`, true],
  ['one that is not recorded', `00-${TRACE}-${SPAN}-00`, false],
  ['flags beside that one', `00-${TRACE}-${SPAN}-03`, true],
  ['a later version with more parts', `cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
])('of %s, trace, span and flag are read', (_, header, isSampled) => {
  expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled })
})

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['version ff', `ff-${TRACE}-${SPAN}-01`],
  ['version 00 with more parts', `00-${TRACE}-${SPAN}-01-more`],
  ['two headers in one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['a line end', `00-${TRACE}-${SPAN}-01\n`],
])('%s is no traceparent', (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined()
})

test('what is written is read the same', () => {
  for (const isSampled of [true, false]) {
    const context = { traceId: TRACE, spanId: SPAN, isSampled }
    expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
  }
})
