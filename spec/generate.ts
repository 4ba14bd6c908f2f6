import { messageOf } from '#base/thrown.ts'
import { tellDifference, writeTree } from '#base/tree.ts'
import { GENERATED, generateContract } from './generation/contract.ts'

// The first part of `npm run generate`: writes generated/ anew. Nothing is touched unless all of it could be made.
console.log('Generating from spec/')
try {
  tellDifference('generated', await writeTree(GENERATED, await generateContract()))
  console.log('generated/ is up to date.')
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
