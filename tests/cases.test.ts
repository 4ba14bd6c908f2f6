import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** How many cases each family has. */
const families = { M: 21, L: 5, S: 12, T: 8, P: 3, V: 15 } as const

interface Case {
  readonly id: string
  readonly tests: readonly { readonly file: string; readonly title: string }[]
}

function parseCases(): Case[] {
  const rows = read('docs/cases.md').matchAll(/^\| ([A-Z]-\d\d) \| .+ \| (.+) \|$/gm)
  return [...rows].map(([, id, by]) => ({
    id: id!,
    tests: by!.split('<br>').map((entry) => {
      const [, file, title] = /^`([^`]+)`: (.+)$/.exec(entry)!
      return { file: file!, title: title! }
    }),
  }))
}

test('every case is shown by a test, once in the table and in order', () => {
  const expected = Object.entries(families).flatMap(([family, count]) =>
    Array.from({ length: count }, (_, index) => `${family}-${String(index + 1).padStart(2, '0')}`),
  )
  expect(parseCases().map(({ id }) => id)).toEqual(expected)
})

test('every test that the table names is there, under that title', () => {
  const absent = parseCases().flatMap(({ id, tests }) =>
    tests
      .filter(({ file, title }) => !read(file).includes(title))
      .map(({ file, title }) => `${id} ${file}: ${title}`),
  )
  expect(absent).toEqual([])
})
