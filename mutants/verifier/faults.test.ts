import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCorpus } from '../../conformance/vectors/corpus.ts'
import { faults } from './faults.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ids = new Set(readCorpus().map(({ id }) => id))

test.each(faults)('$id can be planted: what it replaces stands in $file exactly once', ({ file, find }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2)
})

test('each fault has a name of its own and vectors that are there', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
  for (const { expectKilledBy } of faults) {
    expect(expectKilledBy.length).toBeGreaterThan(0)
    expect(expectKilledBy.filter((id) => !ids.has(id))).toEqual([])
  }
})

test('every check of the verification has a fault that breaks it', () => {
  const broken = new Set<string>(faults.flatMap(({ violates }) => violates))
  const checks = Array.from({ length: 28 }, (_, index) => `VRFY-${String(index + 5).padStart(2, '0')}`)
  expect(checks.filter((rule) => !broken.has(rule))).toEqual([])
})
