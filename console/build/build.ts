import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressAll } from './compress.ts'
import { ROOT, sourcesDigest } from './digest.ts'

/** Where the built page stands, and the router finds it. */
export const PAGE_FOLDER = join(ROOT, 'console', 'dist')

const DIGEST_FILE = 'sources.sha256'

/**
 * Builds the page when what it is made of has changed since, and tells whether it did. Several may try at once: each
 * builds beside the others, and the finished folder takes the place of the old one by its name alone.
 */
export async function buildPage(folder = PAGE_FOLDER): Promise<boolean> {
  const digest = sourcesDigest()
  if (isBuilt(folder, digest)) return false
  const made = mkdtempSync(`${folder}-`)
  try {
    const { build } = await import('vite')
    await build({
      configFile: join(import.meta.dirname, 'vite.config.ts'),
      configLoader: 'native',
      logLevel: 'warn',
      build: { outDir: made },
    })
    compressAll(made)
    writeFileSync(join(made, DIGEST_FILE), `${digest}\n`)
    if (!isBuilt(folder, digest)) replace(folder, made)
    return true
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

function isBuilt(folder: string, digest: string): boolean {
  const file = join(folder, DIGEST_FILE)
  return existsSync(file) && readFileSync(file, 'utf8').trim() === digest
}

function replace(folder: string, made: string): void {
  const old = `${made}-old`
  if (existsSync(folder)) renameSync(folder, old)
  try {
    renameSync(made, folder)
  } catch (error) {
    // Another build was quicker by less than a rename.
    if (!existsSync(join(folder, DIGEST_FILE))) throw error
  }
  rmSync(old, { recursive: true, force: true })
}
