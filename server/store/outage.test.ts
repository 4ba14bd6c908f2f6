import { expect, test } from 'vitest'
import { isOutage, isUnreachable, isWithoutRoom, OutageError } from './outage.ts'

const withCode = (code: string): Error => Object.assign(new Error(code), { code })

test.each([
  ['a refused connection', withCode('ECONNREFUSED')],
  ['a lost connection', withCode('CONNECTION_CLOSED')],
  ['a name that is not known for a moment', withCode('ENOTFOUND')],
  ['a process that has no file left', withCode('EMFILE')],
  ['a server that is shutting down', withCode('57P01')],
  ['a server that is starting', withCode('57P03')],
  ['too many connections', withCode('53300')],
  ['a full disk', withCode('53100')],
  ['a deadlock', withCode('40P01')],
  ['a pooler that lost its server', withCode('08P01')],
  ['a transaction that nothing followed in', withCode('25P03')],
  ['our own patience', new OutageError('away')],
])('%s passes by itself', (_, error) => {
  expect(isOutage(error)).toBe(true)
})

test.each([
  ['a violated constraint', withCode('23514')],
  ['a missing table', withCode('42P01')],
  ['a cancelled statement', withCode('57014')],
  ['a pool that we have closed', withCode('CONNECTION_ENDED')],
  ['an error without a code', new Error('ECONNREFUSED')],
  ['no error at all', 'ECONNREFUSED'],
])('%s does not', (_, error) => {
  expect(isOutage(error)).toBe(false)
})

test('a database that is short of something was reached', () => {
  const codes = ['53100', '53200', '53300', '57P03', 'ECONNREFUSED', '23514']
  expect(codes.filter((code) => isUnreachable(withCode(code)))).toEqual(['57P03', 'ECONNREFUSED'])
})

test('where there is no room for a connection, others may be there', () => {
  const codes = ['53300', '08P01', '53100', '57P01', 'CONNECTION_CLOSED', 'ECONNREFUSED']
  expect(codes.filter((code) => isWithoutRoom(withCode(code)))).toEqual(['53300', '08P01'])
})
