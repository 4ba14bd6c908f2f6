import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTree } from '#base/tree.ts'
import { faults } from './faults.ts'
import type { Reach } from './reach.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** What the way of a request depends on: the programs of a deployment, and the scenarios. */
const ROOMS = [
  ...['attestation', 'base', 'config', 'egress', 'generated', 'platform', 'proxy', 'server'],
  ...['conformance/engine', 'conformance/scenarios', 'conformance/stand-ins', 'conformance/testing'],
]

/** What was kept in a file; undefined where there is none, or it is of other sources than these. */
export async function readReach(file: string): Promise<Reach | undefined> {
  if (!existsSync(file)) return undefined
  const { sources, reach } = JSON.parse(readFileSync(file, 'utf8')) as { sources: string; reach: Reach }
  return sources === (await digestSources()) ? reach : undefined
}

/** Keeps it for other runs of the same sources. */
export async function writeReach(file: string, reach: Reach): Promise<void> {
  writeFileSync(file, `${JSON.stringify({ sources: await digestSources(), reach })}\n`)
}

async function digestSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const room of ROOMS)
    for (const [path, bytes] of await readTree(join(ROOT, room)))
      hash.update(`${room}/${path}\n`).update(bytes)
  for (const { id, file, find, within, at } of faults)
    hash.update(JSON.stringify([id, file, find, within, at]))
  return hash.digest('hex')
}
