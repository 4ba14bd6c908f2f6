import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
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
    await runVite(made)
    compressAll(made)
    writeFileSync(join(made, DIGEST_FILE), `${digest}\n`)
    if (!isBuilt(folder, digest)) replace(folder, made)
    return true
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** In a process of its own: whoever runs this one, such as a test, may have made another choice than production. */
async function runVite(outDir: string): Promise<void> {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  const config = join(import.meta.dirname, 'vite.config.ts')
  const args = [
    vite,
    'build',
    '--config',
    config,
    '--configLoader',
    'native',
    '--logLevel',
    'warn',
    '--outDir',
    outDir,
  ]
  await promisify(execFile)(process.execPath, args, {
    cwd: join(ROOT, 'console'),
    env: { ...process.env, NODE_ENV: 'production' },
  })
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
