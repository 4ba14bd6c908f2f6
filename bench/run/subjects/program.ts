import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pinned } from '../cpu/cores.ts'
import { Unavailable } from './subject.ts'

/** A foreign program, which knows nothing of how ours are started. */
export interface ForeignStart {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly core: number | undefined
  /** What it prints goes here. */
  readonly logFile: string
  /** What answers once it serves; any answer will do. */
  readonly url: string
}

/** One that serves. */
export interface Foreign {
  readonly pid: number
  stop(): Promise<void>
}

const POLL_MS = 5
/** LiteLLM takes minutes to be compiled when it is first started on a busy machine. */
const PATIENCE_MS = 240_000
const STOP_MS = 5_000
/** How much of a log tells why a program ended. */
const LOG_TAIL = 300

/** Starts a program and waits until it answers; throws `Unavailable`, with its log, where it does not come to that. */
export async function startForeign(start: ForeignStart): Promise<Foreign> {
  const [file, args] = pinned(start.core, start.file, start.args)
  const log = openSync(start.logFile, 'w')
  const child = spawn(file, args, { env: { ...process.env, ...start.env }, stdio: ['ignore', log, log] })
  closeSync(log)
  const program: Foreign = { pid: child.pid!, stop: () => end(child) }
  const untilMs = performance.now() + PATIENCE_MS
  while (!(await answers(start.url))) {
    if (child.exitCode === null && performance.now() < untilMs) {
      await sleep(POLL_MS)
      continue
    }
    await program.stop()
    throw new Unavailable(`it did not start: ${lastWords(start.logFile)}`)
  }
  return program
}

/** A port that nobody has, for programs that cannot say which one they were given. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function lastWords(logFile: string): string {
  return readFileSync(logFile, 'utf8').replaceAll(/\s+/g, ' ').trim().slice(-LOG_TAIL)
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await exited
  clearTimeout(timer)
}
