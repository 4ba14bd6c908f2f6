import { expect, test } from 'vitest'
import { readCorpus } from '../corpus.ts'
import { NOW } from '../generator/chain.ts'
import { momentOf } from './moment.ts'
import { ADMITTED, rows } from './rows.ts'
import { servable, vectorAt } from './served.ts'
import { unserved } from './unserved.ts'

const then = momentOf(NOW, 1_000)
const groundOf = ({ stage, reason }: { stage: string | null; reason: string | null }) => `${stage}/${reason}`
const grounds = new Set(
  readCorpus().flatMap(({ expected }) => (expected.reason === null ? [] : [groundOf(expected)])),
)

test.each(servable)('$id is at the moment of the corpus the vector of the corpus', (vector) => {
  expect(vectorAt(then, vector)).toEqual(vector)
})

test('each row is a vector', () => {
  expect(servable.map(({ id }) => id).sort()).toEqual(Object.keys(rows).sort())
  expect(servable.filter(({ expected }) => expected.admitted).map(({ id }) => id)).toEqual([ADMITTED])
})

test('each stage and reason of the corpus is served once, or it is told why it cannot be', () => {
  const refused = servable.filter(({ id }) => id !== ADMITTED).map(({ expected }) => groundOf(expected))
  expect(new Set(refused).size).toBe(refused.length)
  expect([...refused, ...Object.keys(unserved)].sort()).toEqual([...grounds].sort())
})
