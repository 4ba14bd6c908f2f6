import { expect, test } from 'vitest'
import { add, countSkips, countTests, NONE, type Report, sayCount } from './count.ts'

const excuses = new Set(['openssl', 'jq'])

function reportOf(...assertionResults: Report['testResults'][number]['assertionResults']): Report {
  return { testResults: [{ assertionResults }, { assertionResults: [{ status: 'passed' }] }] }
}

test.each([
  ['passed', [], 'passed'],
  ['failed', [], 'failed'],
  ['failed', ['openssl'], 'failed'],
  ['skipped', ['openssl'], 'skipped'],
  ['skipped', ['slow', 'jq'], 'skipped'],
  ['skipped', [], 'failed'],
  ['skipped', ['redis-server'], 'failed'],
  ['todo', [], 'failed'],
  ['pending', [], 'failed'],
] as const)('a test that %s with the tags %j is counted as %s', (status, tags, as) => {
  expect(countTests(reportOf({ status, tags }), excuses)).toEqual(
    add({ ...NONE, passed: 1 }, { ...NONE, [as]: 1 }),
  )
})

test('the skips are told by what was missing', () => {
  const report = reportOf(
    { status: 'skipped', tags: ['openssl'] },
    { status: 'skipped', tags: ['openssl', 'jq'] },
    { status: 'passed', tags: ['jq'] },
  )
  expect([...countSkips(report, excuses)]).toEqual([
    ['openssl', 2],
    ['jq', 1],
  ])
})

test('the last line has the skips only where there are any', () => {
  expect(sayCount({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
  expect(sayCount({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
})
