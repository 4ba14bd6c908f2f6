import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceResults } from '#contract/models'
import { suiteVersion } from '../lock/lock.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/**
 * Which suite it is that judges: its version, its commit, and what it judges by. The suite as a package has this in
 * itself, in this file's place (pack/).
 */
export function provenance(): Omit<ConformanceResults['suite'], 'scenarios'> {
  return {
    version: suiteVersion,
    commit: findCommit(),
    interface_sha256: digestOf('generated/openapi.yaml'),
    rules_sha256: digestOf('generated/rules.ts'),
  }
}

/** How long git may take (ours). */
const TIMEOUT_MS = 2_000

function findCommit(): string | null {
  try {
    const text = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: ROOT,
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
    return /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0] ?? null
  } catch {
    return null
  }
}

function digestOf(file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, file)))
    .digest('hex')
}
