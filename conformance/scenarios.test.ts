import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { discover } from './engine/discover.ts'
import { catalogue } from './engine/rules.ts'
import { describeIndex } from './report/index.ts'

const found = await discover()

test('the committed index is that of the scenarios; `npm run generate` writes it', () => {
  const committed = readFileSync(join(import.meta.dirname, 'scenarios.json'), 'utf8')
  expect(committed).toBe(describeIndex(found))
})

test('each scenario counts for rules of somebody whom it runs at', () => {
  const strangers = found.flatMap(({ scenario: { id, rules, subjects } }) => {
    // A console is a part of its router.
    const isRouters = subjects.includes('router') || subjects.includes('console')
    const bound = new Set<string>(isRouters ? [...subjects, 'router', 'client', 'console'] : subjects)
    return rules
      .filter((rule) => !catalogue[rule].subjects.some((one) => bound.has(one)))
      .map((rule) => [id, rule])
  })
  expect(strangers).toEqual([])
})

test('no two scenarios say the same', () => {
  const titles = found.map(({ scenario }) => scenario.title)
  expect(titles.filter((title, index) => titles.indexOf(title) < index)).toEqual([])
})

test('each scenario with several rules names those that an assertion shows', () => {
  expect(found.filter(({ scenario }) => !scenario.isNaming).map(({ scenario }) => scenario.id)).toEqual([])
})

test('assertions are those of the suite, which know the rules that they show', () => {
  const folder = join(import.meta.dirname, 'scenarios')
  const files = [...new Set(found.map(({ file }) => file))]
  const others = files.filter((file) => readFileSync(join(folder, file), 'utf8').includes("'node:assert"))
  expect(others).toEqual([])
})
