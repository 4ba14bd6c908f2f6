import { expect, test, vi } from 'vitest'
import { compareTrees, readTree } from '#base/tree.ts'
import { CORPUS } from '../corpus.ts'
import { makeFiles } from './write.ts'

vi.setConfig({ testTimeout: 60_000 })

test('the committed vectors are what is generated, byte by byte; `npm run generate` writes them', async () => {
  const difference = compareTrees(makeFiles(), await readTree(CORPUS))
  expect(difference).toEqual({ missing: [], changed: [], unexpected: [] })
})

test('each vector stands on a line of its own', () => {
  for (const bytes of makeFiles().values()) {
    const [head, ...lines] = bytes.toString().trimEnd().split('\n')
    const vectors = lines.slice(0, -1).map((line) => JSON.parse(line.replace(/,$/, '')) as { id: string })
    expect(`${head}${lines.at(-1)}`).toMatch(/^\{"stage":"[a-z-]+","vectors":\[\]\}$/)
    expect(vectors.every(({ id }) => id !== '')).toBe(true)
  }
})
