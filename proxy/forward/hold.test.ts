import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventHold, MAX_HELD_BYTES } from './hold.ts'

/** What goes on at once, and what is held, of pieces that come one after the other. */
function pass(pieces: readonly string[]): { readonly passed: string[]; readonly held: string } {
  const hold = new EventHold()
  const passed = pieces.map((piece) => hold.take(Buffer.from(piece, 'latin1')).toString('latin1'))
  return { passed, held: hold.rest().toString('latin1') }
}

const ends: [whole: string, held: string][] = [
  ['', ''],
  ['data: 1\n\n', ''],
  ['data: 1\r\r', ''],
  ['data: 1\r\n\r\n', ''],
  ['data: 1\r\n\n', ''],
  ['data: 1\n\r\n', ''],
  ['data: 1\r\r\n', ''],
  ['data: 1\n\r', ''],
  ['', 'data: 1'],
  ['', 'data: 1\n'],
  ['', 'data: 1\r\n'],
  ['', 'data: 1\ndata: 2\n'],
  ['data: 1\n\n', 'data: {"a":'],
  ['data: 1\r\n\r\n', 'data: 2\r\n'],
  ['data: 1\n\ndata: 2\n\n', 'event: x'],
  [': ping\n\n', ''],
  [': ping\n', ''],
  [': ping\r\n', ''],
  ['data: 1\n\n: ping\n: pong\n', ': pi'],
  ['data: 1\n\n: ping\n', 'data: 2'],
  ['', 'data: 1\n: ping\n'],
  ['\n', ''],
  ['\r\n', ''],
  ['\n\n\n', 'data: 1'],
]

test.each(ends)('of a stream, %j goes on and %j is held, however it was cut', (whole, held) => {
  const text = whole + held
  for (const size of [text.length, 1, 2, 3, 5]) {
    const pieces = text.match(new RegExp(`[^]{1,${Math.max(1, size)}}`, 'g')) ?? []
    const found = pass(pieces)
    expect(found.passed.join('')).toBe(whole)
    expect(found.held).toBe(held)
  }
})

/** The plain way to say it: lines one by one, and an event that begins with the first line that is no comment. */
function expected(text: string): string {
  let whole = 0
  let isWithin = false
  for (const { 0: line, index } of text.matchAll(/([^\r\n]*)(\r\n|\r|\n)/g)) {
    const isEmpty = /^[\r\n]/.test(line)
    isWithin = !isEmpty && (isWithin || !line.startsWith(':'))
    if (!isWithin) whole = index + line.length
  }
  return text.slice(0, whole)
}

test('what goes on is what has no unfinished event in it, and nothing is lost, whatever comes and however', () => {
  const bits = fc.constantFrom('\n', '\r', '\r\n', 'a', ':', 'data: ', '\n\n', 'é')
  fc.assert(
    fc.property(fc.array(fc.array(bits, { maxLength: 6 }), { maxLength: 12 }), (shape) => {
      const pieces = shape.map((each) => each.join(''))
      const { passed, held } = pass(pieces)
      const text = pieces.join('')
      expect(passed.join('') + held).toBe(text)
      expect(passed.join('')).toBe(expected(text))
    }),
    { numRuns: 2_000 },
  )
})

test('an event goes on with the piece that makes it whole, not later', () => {
  expect(pass(['data: 1\n\nda', 'ta: 2\n', '\n', ': ping\n\n']).passed).toEqual([
    'data: 1\n\n',
    '',
    'data: 2\n\n',
    ': ping\n\n',
  ])
})

test('what ends on a boundary is passed on without a copy', () => {
  const hold = new EventHold()
  const bytes = Buffer.from('data: 1\n\ndata: 2\n\n')
  const passed = hold.take(bytes)
  expect(passed.buffer).toBe(bytes.buffer)
  expect(passed.byteOffset).toBe(bytes.byteOffset)
  expect(passed.length).toBe(bytes.length)
})

test('an event is held up to its bound, and its growing is told beyond it', () => {
  const hold = new EventHold()
  hold.take(Buffer.from('data: 1\n\n'))
  hold.take(Buffer.alloc(MAX_HELD_BYTES, 'x'))
  expect(hold).toMatchObject({ heldBytes: MAX_HELD_BYTES, isTooLong: false })
  hold.take(Buffer.from('x'))
  expect(hold.isTooLong).toBe(true)
})
