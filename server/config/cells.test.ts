import { expect, test } from 'vitest'
import { cellContradictions } from './cells.ts'

const url = 'postgres://u@home:5432/router'
const cell = (name: string, host = name) => ({ name, url: `postgres://u@${host}:5432/router` })

test('databases of different names and addresses are cells', () => {
  expect(cellContradictions({ url, cells: [cell('a'), cell('b')] }, {})).toEqual([])
})

test('one database alone is none, whatever else there is', () => {
  expect(cellContradictions({ url }, { console: true, testControl: {} })).toEqual([])
  expect(cellContradictions(undefined, {})).toEqual([])
})

test.each([
  ['no home', { cells: [cell('a')] }, 'database.url'],
  ['one name twice', { url, cells: [cell('a'), cell('a', 'b')] }, 'database.cells[1].name'],
  ['one database twice', { url, cells: [cell('a'), cell('b', 'a')] }, 'database.cells[1].url'],
  ['the home once more', { url, cells: [cell('a', 'home')] }, 'database.cells[0].url'],
  ['the name of the home', { url, cells: [cell('home', 'a')] }, 'database.cells[0].name'],
  ['no database', { url, cells: [{ name: 'a', url: 'http://a' }] }, 'database.cells[0].url'],
])('%s is a mistake at its path', (_, database, path) => {
  expect(cellContradictions(database, {})).toMatchObject([{ path }])
})

test('what knows one database only is refused beside cells', () => {
  const database = { url, cells: [cell('a')] }
  const paths = cellContradictions(database, { console: true, testControl: {} }).map(({ path }) => path)
  expect(paths).toEqual(['console', 'testControl'])
})
