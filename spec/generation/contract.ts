import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTree, type Tree } from '#base/tree.ts'
import { compileContract } from './compile.ts'
import { takeSchemas } from './schemas.ts'
import { writeTypes } from './types.ts'
import { writeValidators } from './validators.ts'

/** Where the generated files are committed. */
export const GENERATED = join(import.meta.dirname, '..', '..', 'generated')

/** Everything that follows from the contract, made in a temporary folder that is cleared away again. */
export async function generateContract(): Promise<Tree> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  try {
    await step('contract, catalogues, rules, schemas', () => compileContract(folder))
    const schemas = await takeSchemas(folder)
    await step('types', () => writeTypes(folder, schemas))
    await step('validators', () => writeValidators(folder, schemas))
    return await readTree(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function step(name: string, run: () => Promise<void>): Promise<void> {
  const begun = performance.now()
  await run()
  console.log(`  ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
}
