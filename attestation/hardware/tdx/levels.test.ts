import { expect, test } from 'vitest'
import type { TcbStatus } from '../conditions.ts'
import { reasonOf } from '../testing/judging.ts'
import { findLevel, sinceLaunch, withPart } from './levels.ts'

const level = (status: TcbStatus, ...advisories: string[]) => ({ status, advisories })

test.each<readonly [TcbStatus, TcbStatus, TcbStatus]>([
  ['UpToDate', 'UpToDate', 'UpToDate'],
  ['SWHardeningNeeded', 'UpToDate', 'SWHardeningNeeded'],
  ['UpToDate', 'OutOfDate', 'OutOfDate'],
  ['SWHardeningNeeded', 'OutOfDate', 'OutOfDate'],
  ['ConfigurationNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded'],
  ['ConfigurationAndSWHardeningNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded'],
  ['OutOfDate', 'OutOfDate', 'OutOfDate'],
  ['OutOfDateConfigurationNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded'],
  ['UpToDate', 'Revoked', 'Revoked'],
  ['Revoked', 'OutOfDate', 'Revoked'],
  ['Revoked', 'UpToDate', 'Revoked'],
])('a platform that is %s with a part that is %s is %s', (platform, part, word) => {
  expect(withPart(level(platform), level(part)).status).toBe(word)
})

test('a part is never in need of configuration', () => {
  expect(reasonOf(() => withPart(level('UpToDate'), level('ConfigurationNeeded')))).toBe('tcb_not_accepted')
})

test.each<readonly [TcbStatus, TcbStatus, TcbStatus]>([
  ['UpToDate', 'UpToDate', 'UpToDate'],
  ['ConfigurationNeeded', 'UpToDate', 'ConfigurationNeeded'],
  ['UpToDate', 'OutOfDate', 'OutOfDate'],
  ['OutOfDate', 'OutOfDate', 'OutOfDate'],
  ['OutOfDate', 'UpToDate', 'TDRelaunchAdvised'],
  ['OutOfDate', 'SWHardeningNeeded', 'TDRelaunchAdvised'],
  ['OutOfDate', 'ConfigurationNeeded', 'TDRelaunchAdvisedConfigurationNeeded'],
  ['OutOfDateConfigurationNeeded', 'UpToDate', 'TDRelaunchAdvisedConfigurationNeeded'],
  ['Revoked', 'UpToDate', 'Revoked'],
  ['OutOfDate', 'Revoked', 'Revoked'],
])('a guest that was launched %s and is %s today is %s', (launch, today, word) => {
  expect(sinceLaunch(level(launch), level(today)).status).toBe(word)
})

test('advisories of both are named, each once', () => {
  expect(withPart(level('UpToDate', 'A', 'B'), level('UpToDate', 'B', 'C')).advisories).toEqual([
    'A',
    'B',
    'C',
  ])
})

test('the first level that is reached counts', () => {
  const list = [3, 2, 1].map((isvsvn) => ({
    tcb: { isvsvn },
    tcbStatus: isvsvn === 3 ? 'UpToDate' : 'OutOfDate',
  }))
  const reached = (svn: number) => findLevel(list, ({ isvsvn }) => svn >= Number(isvsvn)).status
  expect(reached(4)).toBe('UpToDate')
  expect(reached(2)).toBe('OutOfDate')
  expect(reasonOf(() => reached(0))).toBe('tcb_not_accepted')
})

test('a word that is not known is never accepted', () => {
  const unknown = [{ tcb: {}, tcbStatus: 'Splendid' }]
  expect(reasonOf(() => findLevel(unknown, () => true))).toBe('tcb_not_accepted')
})
