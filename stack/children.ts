import { closeSync } from 'node:fs'
import { type Start, type Started, startProgram } from '#base/starter.ts'
import { StartFailure } from './failure.ts'
import { openLog, tailOf } from './logs.ts'
import { HOME } from './places.ts'
import { identify, type ProcessId } from './processes.ts'

/** How a child is run. */
export interface Command extends Pick<Start, 'file' | 'args' | 'env'> {
  /** Also the name of its log. */
  readonly name: string
  readonly logs: string
  /** How long it may take to end once asked. */
  readonly patienceMs: number
}

/** A running child. */
export interface Child extends Pick<Started, 'ready' | 'exited'> {
  readonly id: ProcessId
  readonly logFile: string
  /** Asks it to end, and ends it when it takes too long. */
  stop(): Promise<unknown>
}

/** Starts a child in a process group of its own, so that Ctrl-C reaches the starter alone. */
export async function startChild({ name, logs, ...start }: Command): Promise<Child> {
  const log = openLog(logs, name)
  const { child, ready, exited, stop } = startProgram({
    ...start,
    cwd: HOME,
    log: log.descriptor,
    detached: true,
  })
  closeSync(log.descriptor)
  const id = child.pid === undefined ? undefined : identify(child.pid)
  if (!id) throw new StartFailure(`${name} could not be started: ${await exited}.`, tailOf(log.file))
  return { id, logFile: log.file, ready, exited, stop }
}
