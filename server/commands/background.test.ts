import type { write } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeInBackground } from './background.ts'

type Told = (error: NodeJS.ErrnoException | null, written: number) => void

/** A descriptor whose writes are answered by the test; gives what was written and a way to answer the last write. */
function openSlow() {
  const written: string[] = []
  let answer: Told = () => {}
  const slow = ((_: number, bytes: Buffer, told: Told) => {
    answer = (error, length) => {
      if (error === null) written.push(bytes.toString('utf8', 0, length))
      told(error, length)
    }
  }) as unknown as typeof write
  const line = writeInBackground(-1, (lines) => `lost ${lines}\n`, slow)
  return {
    line,
    written,
    take: (length = Number.MAX_SAFE_INTEGER) => answer(null, length),
    refuse: (code: string) => answer(Object.assign(new Error(code), { code }), 0),
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what comes within a tenth of a second of a write leaves with the next, and what was cut off goes on', () => {
  const { line, written, take } = openSlow()
  line('one\n')
  line('two\n')
  line('three\n')
  take(2)
  take()
  line('four\n')
  expect(written).toEqual(['on', 'e\n'])
  vi.advanceTimersByTime(100)
  take()
  expect(written).toEqual(['on', 'e\n', 'two\nthree\nfour\n'])
})

test('much that has come is not waited for', () => {
  const { line, written, take } = openSlow()
  line('one\n')
  take()
  const long = `${'x'.repeat(16_383)}\n`
  line(long)
  line(long)
  take()
  expect(written).toEqual(['one\n', long + long])
})

test('a full disk loses lines and ends nothing; how many is told as soon as one can be written', () => {
  const { line, written, take, refuse } = openSlow()
  line('one\n')
  line('two\n')
  line('three\n')
  refuse('ENOSPC')
  vi.advanceTimersByTime(1_000)
  refuse('ENOSPC')
  line('four\n')
  vi.advanceTimersByTime(1_000)
  take()
  expect(written).toEqual(['lost 3\nfour\n'])
})

test('a reader that is too slow loses lines and takes no memory', () => {
  const { line, written, take } = openSlow()
  line('one\n')
  const long = `${'x'.repeat(1_048_575)}\n`
  for (let count = 0; count < 20; count++) line(long)
  take()
  vi.advanceTimersByTime(100)
  take()
  expect(written.map(({ length }) => length)).toEqual([4, 'lost 4\n'.length + 16 * 1_048_576])
})

test('a reader that has gone is left alone', () => {
  const { line, written, take, refuse } = openSlow()
  line('one\n')
  refuse('EPIPE')
  line('two\n')
  take()
  expect(written).toEqual(['one\n'])
})
