import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RawHeaders } from './raw-headers.ts'

const PAIRS = ['X-One', '1', 'content-type', 'a', 'X-ONE', '2', 'Content-Type', '', 'x-one', '3']

test('a header is found in whatever case it is written, the first or all of it', () => {
  const headers = new RawHeaders(PAIRS)
  expect(headers.first('x-one')).toBe('1')
  expect(headers.first('content-type')).toBe('a')
  expect(headers.first('x-two')).toBeUndefined()
  expect(headers.all('x-one')).toEqual(['1', '2', '3'])
  expect(headers.all('content-type')).toEqual(['a', ''])
  expect(headers.all('x-two')).toEqual([])
})

test('pieces are the same text, byte by byte, whether they are parts of one memory or of several', () => {
  const bytes = fc.uint8Array({ maxLength: 20 })
  const pieces = fc.array(fc.record({ bytes, gap: fc.nat(3), isApart: fc.boolean() }), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, (parts) => {
      const memory = Buffer.alloc(parts.length * 24 + 8, 0xff)
      let at = 8
      const given = parts.map((part) => {
        if (part.isApart) return Buffer.from(part.bytes)
        memory.set(part.bytes, at)
        const piece = memory.subarray(at, at + part.bytes.length)
        at += part.bytes.length + part.gap
        return piece
      })
      const texts = given.map((piece) => piece.toString('latin1'))
      expect(RawHeaders.of(given).pairs).toEqual(texts)
      const backwards = given.toReversed()
      expect(RawHeaders.of(backwards).pairs).toEqual(texts.toReversed())
    }),
  )
})
