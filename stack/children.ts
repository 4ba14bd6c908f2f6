import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { StartFailure } from './failure.ts'
import { openLog, tailOf } from './logs.ts'
import { HOME } from './places.ts'
import { identify, type ProcessId } from './processes.ts'

/** How a child is run. */
export interface Command {
  /** Also the name of its log. */
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly logs: string
  /** How long it may take to end once asked. */
  readonly patienceMs: number
}

/** A running child. */
export interface Child {
  readonly id: ProcessId
  readonly logFile: string
  /** Resolves with what it says on standard output once it serves. */
  readonly ready: Promise<unknown>
  /** Resolves with what it died of. */
  readonly exited: Promise<string>
  /** Asks it to end, and ends it when it takes too long. */
  stop(): Promise<void>
}

const LEASH_MS = 200

/**
 * Starts a child in a process group of its own, so that Ctrl-C reaches the starter alone. Its standard input is
 * a pipe that closes with the starter, however that ends; `--with-parent` makes the child end then.
 */
export async function startChild(command: Command): Promise<Child> {
  const log = openLog(command.logs, command.name)
  const child = spawn(command.file, [...command.args], {
    cwd: HOME,
    env: { ...process.env, ...command.env },
    detached: true,
    stdio: ['pipe', 'pipe', log.descriptor],
  })
  closeSync(log.descriptor)
  // Writing to a child that has gone must not end the starter.
  child.stdin?.on('error', () => undefined)
  const exited = exitOf(child)
  const id = child.pid === undefined ? undefined : identify(child.pid)
  if (!id) throw new StartFailure(`${command.name} could not be started: ${await exited}.`, tailOf(log.file))
  return {
    id,
    logFile: log.file,
    ready: firstJsonOf(child),
    exited,
    stop: () => stopChild(child, exited, command.patienceMs),
  }
}

// With --json a command prints one document, and it does so once it serves.
function firstJsonOf(child: ChildProcess): Promise<unknown> {
  let text = ''
  let document: unknown
  return new Promise((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      if (document !== undefined) return
      text += part
      document = parseWhole(text)
      if (document !== undefined) resolve(document)
    })
  })
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // More is to come.
    return undefined
  }
}

async function stopChild(child: ChildProcess, exited: Promise<string>, patienceMs: number): Promise<void> {
  child.kill('SIGTERM')
  const timers = [
    // An open pipe may keep a child alive that listens to it. Not at once: the signal should be the reason.
    setTimeout(() => child.stdin?.destroy(), LEASH_MS),
    setTimeout(() => child.kill('SIGKILL'), patienceMs),
  ]
  await exited
  timers.forEach(clearTimeout)
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}
