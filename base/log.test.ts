import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('a line is JSON in the form of its program, with an error’s causes and nothing else that it carries', () => {
  const lines: string[] = []
  const log = createLog<{ error?: unknown; place?: string }>(
    (line) => void lines.push(line),
    (level, msg, fields) => ({ level, msg, ...fields }),
  )
  const cause = Object.assign(new Error('lost'), { code: 'ECONNRESET', parameters: ['canary'] })
  log.error('failed', { error: new TypeError('outer', { cause }), place: '\u001b' })
  log.info('well')
  expect(lines[0]).toMatch(
    /^\{"level":"error","msg":"failed","place":"\\u001b","error":\{"name":"TypeError",/,
  )
  expect(JSON.parse(lines[0]!).error).toEqual({
    name: 'TypeError',
    message: 'outer',
    stack: expect.stringContaining('outer'),
    cause: { name: 'Error', code: 'ECONNRESET', message: 'lost', stack: expect.any(String) },
  })
  expect(lines[1]).toBe('{"level":"info","msg":"well"}\n')
})
