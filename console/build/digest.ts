import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The repository, from whose files the page is built. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** What the page is made of: its own sources, the contract's types, and the versions of what it brings along. */
const SOURCES = [
  'console/index.html',
  'console/src/**/*.{ts,tsx,css,svg}',
  'console/build/*.ts',
  'generated/console/{types,models}.ts',
  'package-lock.json',
]

/** SHA-256 over names and bytes of everything that the page is built from; equal means that it need not be built. */
export function sourcesDigest(root = ROOT): string {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }))
  const whole = createHash('sha256')
  for (const file of [...new Set(files)].filter((file) => !isOfTests(file)).sort()) {
    const digest = createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex')
    whole.update(`${digest} ${file}\n`)
  }
  return whole.digest('hex')
}

function isOfTests(file: string): boolean {
  return /\.test\.ts$|\/testing\//.test(file)
}
