import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Rule {
  readonly id: string
  readonly origin: string
  readonly ref: string
  readonly level: string
  readonly subjects: readonly string[]
  readonly test: string
  readonly reason?: string
  readonly text: string
}

const generated = (name: string) => readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8')
const { rules } = JSON.parse(generated('rules.json')) as { rules: readonly Rule[] }
const given = rules.filter(({ origin }) => origin === 'given')
const chosen = rules.filter(({ origin }) => origin === 'chosen')
const sectionOf = ({ ref }: Rule) => ref.split('/')[0] ?? ''

test('at least 150 rules are given and at least 150 are chosen', () => {
  expect(given.length).toBeGreaterThanOrEqual(150)
  expect(chosen.length).toBeGreaterThanOrEqual(150)
  expect(given.length + chosen.length).toBe(rules.length)
})

test('every section of the given specification has a rule, subsections too', () => {
  const sections =
    '1 2.1 2.2 2.3 2.3.1 2.4 2.5 2.6 2.7 3.1 3.2 3.3 4 4.1 4.2 4.3 4.4 4.5 4.6 5 6 7 8 9'.split(' ')
  expect([...new Set(given.map(sectionOf))]).toEqual(['§0', ...sections.map((section) => `§${section}`)])
})

test('every section of the decisions has a rule', () => {
  const decisions = new Set(chosen.map(sectionOf).filter((section) => section.startsWith('D')))
  expect([...decisions]).toEqual(Array.from({ length: 11 }, (_, i) => `D${i + 1}`))
})

test('ids are well formed and unique', () => {
  const ids = rules.map(({ id }) => id)
  expect(ids.filter((id) => !/^[A-Z]{2,4}-\d{2,}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})

test('no two rules say the same', () => {
  expect(new Set(rules.map(({ text }) => text)).size).toBe(rules.length)
})

test('a place stands for few rules', () => {
  const counts = Map.groupBy(rules, ({ ref }) => ref)
  expect([...counts].filter(([, sharing]) => sharing.length > 7).map(([ref]) => ref)).toEqual([])
})

test('given rules come first, in the order of the specification', () => {
  expect(rules.slice(0, given.length)).toEqual(given)
  const positions = given.map(({ ref }) => numbersOf(ref.split('/')[0] ?? ''))
  expect(positions).toEqual(positions.toSorted(byNumbers))
})

test('within a section, paragraphs, rows and items come in their own order', () => {
  const sequences = Map.groupBy(rules, ({ ref }) => `${ref.split('/')[0]} ${/\/([pt]?)/.exec(ref)?.[1]}`)
  for (const [, sequence] of sequences) {
    const positions = sequence.map(({ ref }) => placeOf(ref))
    expect(positions).toEqual(positions.toSorted(byNumbers))
  }
})

test('what cannot be tested from outside says why', () => {
  const mute = rules.filter(({ test, reason }) => /^(inspection|out-of-scope)$/.test(test) && !reason)
  expect(mute.map(({ id }) => id)).toEqual([])
})

test('the page lists every rule with its place, provenance and text, in the same order', () => {
  const rows = generated('rules.md')
    .split('\n')
    .flatMap(
      (line) => /^\| <a id="(\S+)"><\/a>\1 \| (\S+) \| (given|chosen) \| .+ \| (.+) \|$/.exec(line) ?? [],
    )
  const listed = Array.from({ length: rows.length / 5 }, (_, i) => rows.slice(5 * i + 1, 5 * i + 5))
  expect(listed).toEqual(
    rules.map(({ id, ref, origin, text }) => [id, ref, origin, text.replaceAll('|', '\\|')]),
  )
})

/** The numbers in a section's name: `§2.3.1` is 2, 3, 1. */
function numbersOf(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number)
}

/** The numbers of a place within its section, the sentence last: `§1/7.2:1` is 7, 2, 0, 1. */
function placeOf(ref: string): readonly number[] {
  const [item = '', sentence = '0'] = (ref.split('/')[1] ?? '').split(':')
  const [first = 0, second = 0, third = 0] = numbersOf(item)
  return [first, second, third, Number(sentence)]
}

function byNumbers(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i])
  if (at === -1) return a.length - b.length
  return (a[at] ?? 0) - (b[at] ?? -1)
}
