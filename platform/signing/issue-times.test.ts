import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { silentLog, temporaryFolder } from '../test-support.ts'
import { openVault } from '../vault.ts'
import { createIssueTimes } from './issue-times.ts'

test('Times follow the clock, and go on when it does not, steps back or the gateway is restarted', () => {
  const folder = temporaryFolder()
  let clock = 1_000
  const start = () => createIssueTimes(openVault(folder), () => new Date(clock), silentLog)
  const times = start()
  expect(times.next().getTime()).toBe(1_000)
  expect(times.next().getTime()).toBe(1_001)
  clock = 500
  expect(times.next().getTime()).toBe(1_002)
  expect(start().next().getTime()).toBe(1_003)
  clock = 2_000
  expect(start().next().getTime()).toBe(2_000)
})

test('A damaged memory of the last time is named', () => {
  const vault = openVault(temporaryFolder())
  vault.writeSecret('issued-at', 'yesterday')
  expect(() => createIssueTimes(vault, () => new Date(), silentLog)).toThrow(/issued-at is damaged/)
})

test('A clock that was ahead once is told at each signing until it has caught up, with what to do', () => {
  const vault = openVault(temporaryFolder())
  const lines: string[] = []
  let clock = Date.parse('2030-06-01T00:00:00Z')
  const now = () => new Date(clock)
  const start = () =>
    createIssueTimes(
      vault,
      now,
      createLog((line) => void lines.push(line), now),
    )
  start().next()
  expect(lines).toEqual([])
  clock = Date.parse('2030-01-01T00:00:00Z')
  const times = start()
  times.next()
  times.next()
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', issuedAt: '2030-06-01T00:00:00.001Z' }),
    expect.objectContaining({
      level: 'warn',
      issuedAt: '2030-06-01T00:00:00.002Z',
      path: vault.pathOf('issued-at'),
      message: expect.stringMatching(/ahead.*issued_in_future.*delete the file/),
    }),
  ])
  clock = Date.parse('2030-05-31T23:59:01Z')
  times.next()
  expect(lines).toHaveLength(2)
})
