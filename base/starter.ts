import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a program is started that serves until it is told to stop. */
export interface Start {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The descriptor that its log is written to; without one it is kept here. */
  readonly log?: number
  /** In a process group of its own: Ctrl-C reaches the starter alone. */
  readonly detached?: true
  /** How long it may take to end once asked; a minute by default. */
  readonly patienceMs?: number
}

/** A program in a process of its own. */
export interface Started {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable | null>
  /** Resolves with the document that it prints once it serves; never when it ends before. */
  readonly ready: Promise<unknown>
  /** Resolves with what it ended of: a signal, `exit code 1`, or why it could not be started. */
  readonly exited: Promise<string>
  /** The lines of its log so far, unless it is written elsewhere. */
  readonly log: readonly string[]
  /** Asks it to end, ends it when it takes too long, and gives its exit code. */
  stop(): Promise<number | null>
}

/** One that serves. */
export interface Serving<Ready> extends Omit<Started, 'ready'> {
  readonly ready: Ready
}

const PATIENCE_MS = 60_000
const LEASH_MS = 200
/** How many lines of a log are kept, the newest (ours). */
const MAX_LINES = 100_000

/**
 * Starts a program that knows `--json` and `--with-parent`. Its standard input is a pipe that closes with the starter,
 * however that ends, and the program ends then.
 */
export function startProgram(start: Start): Started {
  const { file, args, env, cwd, log: descriptor = 'pipe', detached = false, patienceMs = PATIENCE_MS } = start
  const child = spawn(file, [...args, '--json', '--with-parent'], {
    cwd,
    env: { ...process.env, ...env },
    detached,
    stdio: ['pipe', 'pipe', descriptor],
  }) as Started['child']
  // Writing to one that has gone must not end the starter.
  child.stdin.on('error', () => undefined)
  const log: string[] = []
  if (child.stderr) {
    createInterface(child.stderr).on('line', (line) => {
      if (log.push(line) > MAX_LINES) log.shift()
    })
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const exited = exitOf(child)
  return {
    child,
    ready: firstDocument(child.stdout),
    exited,
    log,
    async stop() {
      child.kill('SIGTERM')
      const timers = [
        // An open pipe may keep one alive that listens to it. Not at once: the signal should be the reason.
        setTimeout(() => child.stdin.destroy(), LEASH_MS),
        setTimeout(() => child.kill('SIGKILL'), patienceMs),
      ]
      await exited
      timers.forEach(clearTimeout)
      // What it said last may still be on its way; somebody else may hold the pipe open.
      await Promise.race([closed, sleep(LEASH_MS)])
      return child.exitCode
    },
  }
}

/** Starts a program and waits until it serves; throws with its log when it ends before. */
export async function startServing<Ready>(start: Start): Promise<Serving<Ready>> {
  const program = startProgram(start)
  const failed = program.exited.then((cause) => {
    throw new Error(`${start.file} did not start (${cause}): ${program.log.join('\n')}`)
  })
  failed.catch(() => undefined)
  return { ...program, ready: (await Promise.race([program.ready, failed])) as Ready }
}

/** With `--json` a program prints one document, and it does so once it serves. */
function firstDocument(stdout: Readable): Promise<unknown> {
  return new Promise((resolve) => {
    let text = ''
    stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      try {
        resolve(JSON.parse(text))
      } catch {
        // More is to come.
      }
    })
  })
}

function exitOf(child: Started['child']): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}
