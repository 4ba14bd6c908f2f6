import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Tree, tellDifference, writeTree } from '#base/tree.ts'
import { CORPUS } from '../corpus.ts'
import { makeCorpus } from './corpus.ts'

/** Every file of the corpus, by its name. */
export function makeFiles(): Tree {
  return new Map([...makeCorpus()].map(([name, text]) => [name, Buffer.from(text)]))
}

// A part of `npm run generate`: writes the vectors anew; a test shows that it changes nothing. The page of the rules
// names the vectors of each, and is written anew when there are others.
if (import.meta.main) {
  const difference = await writeTree(CORPUS, makeFiles())
  tellDifference('conformance/vectors/corpus', difference)
  if (Object.values(difference).some((paths) => paths.length > 0))
    execFileSync(process.execPath, [join(import.meta.dirname, '../../../spec/generate.ts')], {
      stdio: 'inherit',
    })
  console.log('conformance/vectors/corpus/ is up to date.')
}
