import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTree } from '#base/tree.ts'
import type { LiveFault } from './fault.ts'
import { faults } from './faults.ts'
import type { Reach } from './reach.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** What the way of a request depends on: the programs of a deployment, and the scenarios. */
const ROOMS = [
  ...['attestation', 'base', 'config', 'egress', 'generated', 'platform', 'proxy', 'server'],
  ...['conformance/engine', 'conformance/scenarios', 'conformance/stand-ins', 'conformance/testing'],
]

/** Where faults are shown; each scenario's first subject when it is undefined. */
type Places = ReadonlySet<LiveFault['at']>

/** What a file keeps. */
interface Kept {
  readonly sources: string
  readonly places: readonly (string | null)[]
  readonly reach: Reach
}

/** What was kept in a file; undefined where there is none, or it is of other sources than these or of fewer places. */
export async function readReach(file: string, places: Places): Promise<Reach | undefined> {
  if (!existsSync(file)) return undefined
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
  const isOfAll = [...places].every((place) => kept.places.includes(place ?? null))
  return isOfAll && kept.sources === (await digestSources()) ? kept.reach : undefined
}

/** Keeps it for other runs of the same sources. */
export async function writeReach(file: string, places: Places, reach: Reach): Promise<void> {
  const kept: Kept = { sources: await digestSources(), places: [...places].map((at) => at ?? null), reach }
  writeFileSync(file, `${JSON.stringify(kept)}\n`)
}

async function digestSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const room of ROOMS)
    for (const [path, bytes] of await readTree(join(ROOT, room)))
      hash.update(`${room}/${path}\n`).update(bytes)
  for (const { id, file, find, replace, within, when } of faults)
    hash.update(JSON.stringify([id, file, find, replace, within, when]))
  return hash.digest('hex')
}
