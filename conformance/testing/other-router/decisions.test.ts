import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue } from '../../engine/rules.ts'
import { decisions, tableOf } from './decisions.ts'

test('the page shows the list of decisions as it is', () => {
  expect(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')).toContain(tableOf(decisions))
})

test('each decision is shown by chosen rules, or by what is seen on the wire', () => {
  for (const { point, rules, seen } of decisions) {
    expect(rules.length > 0 || seen !== undefined, point).toBe(true)
    for (const rule of rules) expect([rule, catalogue[rule].origin]).toEqual([rule, 'chosen'])
  }
  const all = decisions.flatMap(({ rules }) => rules)
  expect(new Set(all).size).toBe(all.length)
})
