import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RuleId } from '#contract/rules'
import { discover } from '../../conformance/engine/discover.ts'
import { catalogue, differentialRules } from '../../conformance/engine/rules.ts'
import { overexcused, undemonstrated } from './demanded.ts'
import { alsoBroken } from './fault.ts'
import { faults } from './faults.ts'
import { IN_VAIN, LONG } from './long.ts'
import { MIGRATIONS } from './migrations.ts'
import { plant } from './plant.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const files = [...new Set(faults.map(({ file }) => file))]
const scenarios = new Map((await discover()).map(({ scenario }) => [scenario.id, scenario]))

test.each(files)('all faults of %s can be planted into it together, and it stays a program', (file) => {
  const own = faults.filter((fault) => fault.file === file)
  const planted = plant(readFileSync(join(ROOT, file), 'utf8'), own)
  for (const { id } of own) expect(planted.split(`'${id}'`)).toHaveLength(2)
  if (file.endsWith('.ts')) expect(stripTypeScriptTypes(planted).length).toBeGreaterThan(0)
})

test('what is said to take long is a scenario', () => {
  expect([...LONG].filter((id) => !scenarios.has(id))).toEqual([])
})

test('what is said to wait in vain is a fault', () => {
  expect([...IN_VAIN].filter((id) => !faults.some((fault) => fault.id === id))).toEqual([])
})

test('each fault has a name of its own', () => {
  const ids = faults.map(({ id }) => id)
  expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([])
})

test.each(faults)('$id breaks rules that can be shown, and names scenarios that are there', (fault) => {
  const { violates, expectKilledBy, at } = fault
  expect(violates.length).toBeGreaterThan(0)
  for (const rule of violates) expect(['black-box', 'control', 'vector']).toContain(catalogue[rule].test)
  expect(expectKilledBy.length).toBeGreaterThan(0)
  for (const id of expectKilledBy) expect(scenarios.get(id), id).toBeDefined()
  if (at) for (const id of expectKilledBy) expect(scenarios.get(id)?.subjects).toContain(at)
})

test.each(faults)(
  'each given rule that $id breaks is shown by a scenario that asks for what is given',
  (fault) => {
    const { violates, expectKilledBy } = fault
    const shown = new Set(expectKilledBy.flatMap((id) => scenarios.get(id)?.rules ?? []))
    const compared: readonly RuleId[] = fault.at === 'proxy' ? differentialRules : []
    const given = violates.filter((rule) => catalogue[rule].origin === 'given')
    expect(given.filter((rule) => !shown.has(rule) && !compared.includes(rule))).toEqual([])
  },
)

test.each(faults.filter(({ alsoBreaks }) => alsoBreaks))(
  'what $id breaks besides is named once, with a reason',
  (fault) => {
    const { violates, alsoBreaks = [] } = fault
    const besides = alsoBroken(fault)
    expect(
      besides.filter((rule, place) => violates.includes(rule) || besides.indexOf(rule) !== place),
    ).toEqual([])
    for (const { because } of alsoBreaks) expect(because.length).toBeGreaterThan(10)
  },
)

test('every given rule that can be shown has a fault, or its reason to have none', () => {
  expect(undemonstrated()).toEqual([])
  expect(overexcused()).toEqual([])
})

test('no fault lies in a function that a later migration replaces: nobody would run it', () => {
  const names = readdirSync(join(ROOT, MIGRATIONS)).toSorted()
  const functionsIn = (sql: string) =>
    [...sql.matchAll(/^create (?:or replace )?function (\w+)/gm)].map(([, name]) => name)
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
  const last = new Map<unknown, string>()
  for (const file of names.map((name) => `${MIGRATIONS}/${name}`))
    for (const name of functionsIn(textOf(file))) last.set(name, file)
  for (const { id, file, find, within = find } of faults.filter(({ file }) => file.startsWith(MIGRATIONS))) {
    const around = functionsIn(textOf(file).split(within)[0] ?? '').at(-1)
    if (around !== undefined) expect(last.get(around), id).toBe(file)
  }
})
