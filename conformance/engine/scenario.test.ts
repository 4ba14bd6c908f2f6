import { expect, test } from 'vitest'
import { type Definition, define } from './scenario.ts'

const right: Definition = {
  rules: ['EP-07'],
  title: 'A model is a model',
  run: async () => {},
}

test('a scenario runs at the router and through the proxy, and is compared, unless it says otherwise', () => {
  expect(define('models/one', right)).toMatchObject({
    subjects: ['router', 'proxy'],
    isCompared: true,
    isExclusive: false,
    needs: [],
  })
})

test.each(['one', 'Models/One', 'models/'])('a scenario with the id %j is refused', (id) => {
  expect(() => define(id, right)).toThrow(/must be a path/)
})

test.each<[string, Partial<Definition>, RegExp]>([
  ['no rule', { rules: [] }, /counts for no rule/],
  ['a rule twice', { rules: ['EP-07', 'EP-07'] }, /stands twice/],
  ['an unknown rule', { rules: ['EP-99' as 'EP-07'] }, /no rule EP-99/],
  ['a rule that only reading can show', { rules: ['SRV-13'] }, /cannot be shown/],
  ['a title with a full stop', { title: 'A model is a model.' }, /full stop/],
])('a scenario with %s is refused', (_, change, problem) => {
  expect(() => define('models/one', { ...right, ...change })).toThrow(problem)
})
