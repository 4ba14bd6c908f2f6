import { expect, test } from 'vitest'
import { readEvidenceSearch, readGrant, readLogSearch, readSignInSearch } from './search.ts'

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'keys', 7])(
  'a sign-in does not lead to %j',
  (to) => {
    expect(readSignInSearch({ to })).toEqual({})
  },
)

test('a sign-in leads back to where somebody wanted to go', () => {
  expect(readSignInSearch({ to: '/requests?status=ok', invitation: 'ABCD' })).toEqual({
    to: '/requests?status=ok',
    invitation: 'ABCD',
  })
})

test('what makes no sense in an address is left out', () => {
  expect(
    readLogSearch({
      status: 'lost',
      sort: 'id',
      order: 1,
      from: 'soon',
      min_cost_micros: -1,
      model: '',
      more: 1,
    }),
  ).toEqual({})
  expect(readGrant({ granted: 1.5 })).toEqual({})
  expect(readEvidenceSearch({ endpoint: ['a'], digest: null })).toEqual({})
})

test('what makes sense is kept', () => {
  const search = { id: 'gen-1', status: 'ok', sort: 'cost', order: 'asc', max_cost_micros: 0 }
  expect(readLogSearch(search)).toEqual(search)
})
