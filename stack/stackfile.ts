import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Stack, StackPids } from '#contract/models'
import type { Places } from './places.ts'

/** What is up: the contract's document. Every part of it is there, but for a stand-in on request. */
export type StackFile = Readonly<Omit<WithAll<Stack, 'backend_control_url'>, 'pids'>> & {
  readonly pids: Pids
}

/** Process ids of the starter and of what it started. */
export type Pids = Readonly<WithAll<StackPids, 'backend'>>

/** All members but those named are there. */
type WithAll<Document, Optional extends keyof Document> = Required<Omit<Document, Optional>> &
  Pick<Document, Optional>

/** It holds a key and the database's password. */
const MODE = 0o600

/** Writes the file as a whole: a reader sees the old one or the new one. */
export function writeStackFile({ stackFile }: Places, stack: StackFile): void {
  const aside = `${stackFile}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(stack, null, 2)}\n`, { mode: MODE })
  renameSync(aside, stackFile)
}

/** Reads the file; undefined when there is none. */
export function readStackFile({ stackFile }: Places): StackFile | undefined {
  try {
    return JSON.parse(readFileSync(stackFile, 'utf8')) as StackFile
  } catch {
    return undefined
  }
}

/** The file says what is up, so it goes when the stack goes. */
export function removeStackFile({ stackFile }: Places): void {
  rmSync(stackFile, { force: true })
}
