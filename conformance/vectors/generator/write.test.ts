import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CORPUS } from '../corpus.ts'
import { makeFiles } from './write.ts'

vi.setConfig({ testTimeout: 60_000 })

const made = makeFiles()

test.each([...made])(
  '%s is what is generated, byte by byte; `npm run vectors:generate` writes it',
  (path, text) => {
    expect(readFileSync(path, 'utf8') === text).toBe(true)
  },
)

test('nothing else lies among the vectors', () => {
  const names = [...made.keys()].filter((path) => path.startsWith(CORPUS)).map((path) => basename(path))
  expect(readdirSync(CORPUS).sort()).toEqual(names.sort())
})
