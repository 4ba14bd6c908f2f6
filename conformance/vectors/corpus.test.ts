import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reasons } from '#contract/reasons'
import { catalogue, isRuleId } from '../engine/rules.ts'
import { judgedStages, readCorpus, requestOf } from './corpus.ts'
import { elsewhere } from './elsewhere.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const vectors = readCorpus()
const refusals = vectors.filter(({ expected }) => expected.stage !== null)
const slugs = Object.entries(reasons).flatMap(([stage, byReason]) =>
  Object.keys(byReason).map((reason) => `${stage}/${reason}`),
)
const shown = new Set(refusals.map(({ expected: { stage, reason } }) => `${stage}/${reason}`))

/** Rules of what else the evidence is read for: the hardware's label, which no verdict shows. */
const OF_LABELS = ['MODL-23', 'MODL-24', 'MODL-25']

test('there are at least 150 vectors, and ids and titles are unique', () => {
  expect(vectors.length).toBeGreaterThanOrEqual(150)
  expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length)
  expect(new Set(vectors.map(({ title }) => title)).size).toBe(vectors.length)
})

test('no two vectors ask the same', () => {
  const questions = vectors.map((vector) => JSON.stringify({ ...requestOf(vector), id: '' }))
  const twice = vectors.filter((_, index) => questions.indexOf(questions[index]!) < index)
  expect(twice.map(({ id }) => id)).toEqual([])
})

test('a vector that a stage refuses has an id of that stage', () => {
  const strangers = refusals.filter(({ id, expected }) => !id.startsWith(`${expected.stage}/`))
  expect(strangers.map(({ id }) => id)).toEqual([])
})

test.each(judgedStages)('%s has vectors that are admitted and vectors that it refuses', (stage) => {
  const own = vectors.filter(({ id }) => id.startsWith(`${stage}/`))
  expect(own.some(({ expected }) => expected.admitted)).toBe(true)
  expect(own.some(({ expected }) => expected.stage === stage)).toBe(true)
})

test('every reason of the catalogue has a vector, or a test that provokes it elsewhere', () => {
  expect([...shown, ...Object.keys(elsewhere)].sort()).toEqual(slugs.sort())
})

test.each(Object.entries(elsewhere))('%s is provoked by a test that is there', (_, where) => {
  const [file = '', ...title] = where.split(': ')
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title.join(': '))
})

test('the rules that vectors count for exist, and every rule that vectors can show has one', () => {
  const counted = new Set(vectors.flatMap(({ rules }) => rules))
  expect([...counted].filter((rule) => !isRuleId(rule))).toEqual([])
  const wanted = Object.entries(catalogue).filter(([, { test }]) => test === 'vector')
  const open = wanted.map(([id]) => id).filter((id) => !counted.has(id))
  expect(open.sort()).toEqual(OF_LABELS)
})
