import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'

const HOME = dirname(dirname(import.meta.dirname))

/** How a program is started. */
export interface Command {
  readonly title: string
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A program that serves, in a process of its own. */
export interface Program {
  readonly child: ChildProcess
  /** The document that it printed once it served. */
  readonly ready: Readonly<Record<string, unknown>>
  /** Asks it to end and waits; one that does not is killed. */
  stop(): Promise<void>
}

/** How long a program may take to end (ours). */
const PATIENCE_MS = 10_000

/** How much of what it complained about is kept (ours). */
const MAX_COMPLAINT = 20_000

/** Starts one of the commands in bin/ with a configuration file. */
export function startCommand(name: string, config: string, env: Command['env'] = {}): Promise<Program> {
  return startProgram({ title: name, file: join(HOME, 'bin', name), args: ['run', '--config', config], env })
}

/** Starts the scripted backend on free ports. */
export function startBackend(): Promise<Program> {
  const entry = join(HOME, 'conformance/stand-ins/backend/main.ts')
  const ports = ['--port', '0', '--control-port', '0', '--pace', '1']
  return startProgram({ title: 'the backend', file: process.execPath, args: [entry, ...ports] })
}

/** Starts a program that prints one JSON document once it serves, and ends with its starter. */
async function startProgram({ title, file, args, env = {} }: Command): Promise<Program> {
  const child = spawn(file, [...args, '--json', '--with-parent'], {
    cwd: HOME,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  // Writing to one that has gone must not end the starter.
  child.stdin.on('error', () => {})
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT)
  })
  const ready = await firstDocument(child)
  if (ready === undefined) throw new Error(`${title} does not start:\n${complaint}`)
  return {
    child,
    ready,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await exited
      }
      clearTimeout(timer)
    },
  }
}

/** What it prints, once that is a whole document; undefined when it ends before. */
async function firstDocument(child: ChildProcess): Promise<Program['ready'] | undefined> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      try {
        resolve(JSON.parse(text) as Program['ready'])
      } catch {
        // There is more to come.
      }
    })
    child.once('error', () => resolve(undefined))
    child.once('exit', () => resolve(undefined))
  })
}
