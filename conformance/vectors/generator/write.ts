import { type Tree, tellDifference, writeTree } from '#base/tree.ts'
import { CORPUS } from '../corpus.ts'
import { makeCorpus } from './corpus.ts'

/** Every file of the corpus, by its name. */
export function makeFiles(): Tree {
  return new Map([...makeCorpus()].map(([name, text]) => [name, Buffer.from(text)]))
}

// A part of `npm run generate`: writes the vectors anew; a test shows that it changes nothing.
if (import.meta.main) {
  tellDifference('conformance/vectors/corpus', await writeTree(CORPUS, makeFiles()))
  console.log('conformance/vectors/corpus/ is up to date.')
}
