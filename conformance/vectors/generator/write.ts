import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VectorFile } from '#contract'
import { CORPUS, judgedStages } from '../corpus.ts'
import { makeCorpus } from './corpus.ts'
import { describeIndex } from './index-file.ts'

/** Where the index is committed. */
export const INDEX = join(import.meta.dirname, '..', 'index.json')

/** Every file that is generated, by its path. */
export function makeFiles(): ReadonlyMap<string, string> {
  const corpus = makeCorpus()
  const vectors = judgedStages.flatMap((stage) => {
    const file = JSON.parse(corpus.get(`${stage}.json`) ?? '') as VectorFile
    return file.vectors
  })
  const files = [...corpus].map(([name, text]) => [join(CORPUS, name), text] as const)
  return new Map([...files, [INDEX, describeIndex(vectors)]])
}

// `npm run vectors:generate`: writes the vectors anew; a test shows that it changes nothing.
if (import.meta.main) {
  mkdirSync(CORPUS, { recursive: true })
  for (const name of readdirSync(CORPUS)) rmSync(join(CORPUS, name))
  for (const [path, text] of makeFiles()) writeFileSync(path, text)
}
