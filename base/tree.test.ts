import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareTrees, readTree, writeTree } from './tree.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tree-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const expected = new Map([
  ['a.ts', Buffer.from('a')],
  ['schemas/b.json', Buffer.from('b')],
])

test('a folder that is not there lacks every file', async () => {
  const found = await readTree(join(folder, 'absent'))
  expect(compareTrees(expected, found)).toEqual({
    missing: ['a.ts', 'schemas/b.json'],
    changed: [],
    unexpected: [],
  })
})

test('one byte, one file too many and one too few are told', async () => {
  await mkdir(join(folder, 'old'))
  await writeFile(join(folder, 'a.ts'), 'A')
  await writeFile(join(folder, 'old', 'c.ts'), 'c')
  expect(compareTrees(expected, await readTree(folder))).toEqual({
    missing: ['schemas/b.json'],
    changed: ['a.ts'],
    unexpected: ['old/c.ts'],
  })
})

test('a written folder holds exactly what it should, and a second time nothing changes', async () => {
  await writeFile(join(folder, 'old.ts'), 'old')
  await writeTree(folder, expected)
  expect(await readTree(folder)).toEqual(expected)
  expect(await writeTree(folder, expected)).toEqual({ missing: [], changed: [], unexpected: [] })
})
