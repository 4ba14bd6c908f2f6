import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Places } from './places.ts'
import { identify, isRunning, type ProcessId } from './processes.ts'

/** Who runs a stack: the starter, and the children that it would leave behind if it were killed. */
export interface Starter extends ProcessId {
  readonly children: readonly ProcessId[]
}

/** The right to run the stack of a data folder. */
export interface Claim {
  /** The starter before, if it was killed and left its file. */
  readonly former: Starter | undefined
  /** Writes down the children that run now. */
  note(children: readonly ProcessId[]): void
  release(): void
}

/** The starter that runs this data folder's stack now. */
export function findStarter({ starterFile }: Places): Starter | undefined {
  const starter = readStarter(starterFile)
  return starter && isRunning(starter) ? starter : undefined
}

/** Takes the data folder; undefined when another starter has it. */
export function claim(places: Places): Claim | undefined {
  const { dataDir, starterFile } = places
  const self = identify(process.pid)
  if (!self) throw new Error('This process cannot find itself in the process table.')
  mkdirSync(dataDir, { recursive: true })
  const former = readStarter(starterFile)
  if (former && isRunning(former)) return undefined
  rmSync(starterFile, { force: true })
  if (!create(starterFile, { ...self, children: former?.children ?? [] })) return undefined
  return {
    former,
    note: (children) => replace(starterFile, { ...self, children }),
    release: () => rmSync(starterFile, { force: true }),
  }
}

// Written aside and then renamed or linked: nobody ever reads half of it.
function replace(file: string, starter: Starter): void {
  renameSync(writeAside(file, starter), file)
}

function create(file: string, starter: Starter): boolean {
  const aside = writeAside(file, starter)
  try {
    linkSync(aside, file)
    return true
  } catch (error) {
    if (existsSync(file)) return false
    throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function writeAside(file: string, starter: Starter): string {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, JSON.stringify(starter), { mode: 0o600 })
  return aside
}

function readStarter(file: string): Starter | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Starter
  } catch {
    return undefined
  }
}
