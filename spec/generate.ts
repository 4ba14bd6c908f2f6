import { GENERATED, generateContract } from './generation/contract.ts'
import { writeTree } from './generation/tree.ts'

// `npm run generate`: writes generated/ anew. Nothing is touched unless all of it could be made.
console.log('Generating from spec/')
try {
  const { missing, changed, unexpected } = await writeTree(GENERATED, await generateContract())
  for (const path of missing) console.log(`  new      generated/${path}`)
  for (const path of changed) console.log(`  changed  generated/${path}`)
  for (const path of unexpected) console.log(`  removed  generated/${path}`)
  console.log('generated/ is up to date.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
