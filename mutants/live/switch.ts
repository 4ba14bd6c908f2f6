import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Tells every program of a deployment which fault is live. */
export interface Switch {
  readonly folder: string
  /** Has one be live, or none; resolves when every program has heard of it. */
  turn(id: string | undefined): Promise<void>
  remove(): void
}

/** How long a program goes by what it read last (ours). */
const FRESH_MS = 2

/** How long it is waited for all to have heard (ours). */
const HEARD_MS = 10

/** The file below a switch's folder. */
export function fileOf(folder: string): string {
  return join(folder, 'live')
}

/** Makes a switch that is off. A database in an account of its own can read it, too. */
export function createSwitch(): Switch {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'))
  chmodSync(folder, 0o755)
  const file = fileOf(folder)
  writeFileSync(file, '')
  return {
    folder,
    async turn(id = '') {
      // Nobody reads half of it.
      writeFileSync(`${file}.new`, id)
      renameSync(`${file}.new`, file)
      await sleep(HEARD_MS)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Looks the switch up, as often as its file is asked for and no more often than it has to be. */
export function createLook(file: string): (id: string) => boolean {
  let live = readFileSync(file, 'utf8')
  let readAt = process.hrtime.bigint()
  return (id) => {
    const now = process.hrtime.bigint()
    if (now - readAt >= BigInt(FRESH_MS) * 1_000_000n) {
      live = readFileSync(file, 'utf8')
      readAt = now
    }
    return live === id
  }
}
