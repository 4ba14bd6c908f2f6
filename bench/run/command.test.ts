// @module-tag nginx

import { expect, test } from 'vitest'
import { choose } from './command.ts'
import { measures } from './measures/all.ts'
import { others } from './others.ts'
import { subjects } from './subjects/all.ts'

test('without a word everything is measured, and less of it quickly', () => {
  expect(choose({})).toEqual({ measures, subjects, others })
  const quick = choose({ quick: true })
  expect(quick.subjects.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['direct', 'forwarder', 'router']),
  )
  expect(quick.subjects.every(({ isQuick }) => isQuick !== false)).toBe(true)
  expect(quick.others).toEqual([])
  expect(quick.measures.length).toBeGreaterThan(0)
  expect(quick.measures.every(({ isQuick }) => isQuick)).toBe(true)
})

test('words name measures, families of them, and subjects', () => {
  const idsOf = (only: string[]) => choose({ only }).measures.map(({ id }) => id)
  expect(idsOf(['requests-64'])).toEqual(['requests-64'])
  expect(idsOf(['requests'])).toEqual(expect.arrayContaining(['requests-1', 'requests-64']))
  const { subjects: chosen, measures: all } = choose({ only: ['router', 'forwarder'] })
  expect(chosen.map(({ name }) => name)).toEqual(['forwarder', 'router'])
  expect(all).toEqual(measures)
})

test('another benchmark that is named alone is run alone', () => {
  const chosen = choose({ only: ['fairness'] })
  expect(chosen).toEqual({
    measures: [],
    subjects: [],
    others: others.filter(({ name }) => name === 'fairness'),
  })
})

test('a word that is the name of nothing is refused with all names', () => {
  expect(() => choose({ only: ['requests-64', 'nonsense'] })).toThrow(/nonsense.*requests-64.*router/)
})
