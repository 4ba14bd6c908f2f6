import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { outliveLostLookUps } from './lost-look-ups.ts'

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

test('a look-up that is lost with its connection is logged, and ends nothing', () => {
  const program = new EventEmitter()
  const lines: string[] = []
  outliveLostLookUps({ error: (line) => lines.push(line) }, program)
  program.emit('unhandledRejection', lost)
  expect(lines).toEqual(['a connection to the database was lost as it began'])
})

test('any other rejection that nobody handles ends the program', () => {
  const program = new EventEmitter()
  outliveLostLookUps({ error: () => {} }, program)
  expect(() => program.emit('unhandledRejection', new TypeError('a mistake'))).toThrow('a mistake')
})

test('what was begun can be ended', () => {
  const program = new EventEmitter()
  const end = outliveLostLookUps({ error: () => {} }, program)
  end()
  expect(program.listenerCount('unhandledRejection')).toBe(0)
})
