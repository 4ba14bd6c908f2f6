import { expect, test } from 'vitest'
import { columns } from './output.ts'

test('columns are as wide as their widest cell', () => {
  expect(
    columns([
      ['ID', 'NAME'],
      ['a', 'x'],
      ['abc', 'y'],
    ]),
  ).toEqual(['ID   NAME', 'a    x', 'abc  y'])
  expect(columns([])).toEqual([])
})

test('a list of hundreds of thousands is printed', () => {
  expect(columns(Array(300_000).fill(['a', 'b']))).toHaveLength(300_000)
})
