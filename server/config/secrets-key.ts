import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouterConfig } from './router.ts'

const FILE = 'secrets-key'
const BYTES = 32

/** As of one that is configured. */
const LEAST_CHARACTERS = 32

/**
 * What stored secrets are encrypted under and codes are hashed under: the configured key, else one that is made in the
 * data folder at its first use, readable for its owner alone. Callers derive a key of their own for each purpose.
 */
export function readSecretsKey({
  secretsKey,
  dataDir,
}: Pick<RouterConfig, 'secretsKey' | 'dataDir'>): Buffer {
  if (secretsKey !== undefined) return Buffer.from(secretsKey)
  const file = join(dataDir, FILE)
  try {
    const key = find(file) ?? make(file, dataDir)
    // Whatever is stored would lie under a key that anybody can guess.
    if (key.length < LEAST_CHARACTERS)
      throw new Error(`${file} holds no whole key; without it one is made anew`)
    return key
  } catch (cause) {
    const reason = (cause as Error).message
    throw new Error(`secretsKey is not configured, and none can be kept in dataDir: ${reason}`, { cause })
  }
}

/** What stored secrets may still be encrypted under; nothing is encrypted under any of them again (OPS-28). */
export function previousSecretsKeys({
  previousSecretsKeys: keys = [],
}: Pick<RouterConfig, 'previousSecretsKeys'>): readonly Buffer[] {
  return keys.map((key) => Buffer.from(key))
}

function find(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** Appears whole or not at all: another process may be making one at the same moment, and the first one counts. */
function make(file: string, dataDir: string): Buffer {
  mkdirSync(dataDir, { recursive: true })
  const scratch = `${file}.${process.pid}`
  writeFileSync(scratch, randomBytes(BYTES).toString('base64url'), { mode: 0o600, flush: true })
  try {
    linkSync(scratch, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(scratch)
  }
  return readFileSync(file)
}
