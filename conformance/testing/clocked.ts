import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Jump } from './clock.ts'

/** The clocks of a program in a process of its own. */
export interface Clocked {
  /** What the program has to be started with. */
  readonly env: Readonly<Record<string, string>>
  /** Moves them, as a sleep does or whoever sets the time. */
  jump(process: { kill(signal: 'SIGUSR2'): boolean }, jump: Jump): void
}

const CLOCK = pathToFileURL(join(import.meta.dirname, 'clock.ts')).href

/** Prepares clocks that can be moved. */
export function createClocks(file: string): Clocked {
  return {
    env: {
      NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${CLOCK}`].filter(Boolean).join(' '),
      TEST_CLOCK_FILE: file,
    },
    jump(process, jump) {
      writeFileSync(file, JSON.stringify(jump))
      process.kill('SIGUSR2')
    },
  }
}
