import { expect, test } from 'vitest'
import { temporaryFolder } from '../test-support.ts'
import { openVault } from '../vault.ts'
import { createIssueTimes } from './issue-times.ts'

test('Times follow the clock, and go on when it does not, steps back or the gateway is restarted', () => {
  const folder = temporaryFolder()
  let clock = 1_000
  const start = () => createIssueTimes(openVault(folder), () => new Date(clock))
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
  expect(() => createIssueTimes(vault, () => new Date())).toThrow(/issued-at is damaged/)
})
