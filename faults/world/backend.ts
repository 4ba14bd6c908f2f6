import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../conformance/testing/ports.ts'
import type { Told } from '../backend/main.ts'
import { type Seat, signal } from './seat.ts'

const ENTRY = join(import.meta.dirname, '..', 'backend', 'main.ts')

/** What became of one prompt at the backend. */
export interface Received {
  readonly nonce: string
  /** How often it came. */
  times: number
  /** How often it came after a token of it had been sent. */
  afterToken: number
  hasToken: boolean
}

/** The model, in a process of its own. */
export interface Backend extends Seat {
  readonly url: string
  /** What it received, over all its lives. */
  readonly received: ReadonlyMap<string, Received>
}

/** Starts the model; each of its answers holds the word. */
export async function startBackend(word: string): Promise<Backend> {
  const port = await freePort()
  const received = new Map<string, Received>()
  let child = await start()
  let starting: Promise<ChildProcess> | undefined

  async function start(): Promise<ChildProcess> {
    const one = fork(ENTRY, [String(port), word], { stdio: 'ignore' })
    one.on('message', ({ kind, nonce }: Told) => note(kind, nonce))
    const failed = once(one, 'exit').then(([code, cause]) => {
      throw new Error(`The backend did not start (${code ?? cause}).`)
    })
    failed.catch(() => undefined)
    await Promise.race([once(one, 'message'), failed])
    return one
  }

  function note(kind: Told['kind'], nonce: string): void {
    if (kind === 'serving') return
    const known = received.get(nonce) ?? { nonce, times: 0, afterToken: 0, hasToken: false }
    received.set(nonce, known)
    if (kind === 'token') known.hasToken = true
    else {
      known.times += 1
      if (known.hasToken) known.afterToken += 1
    }
  }

  const isUp = () => child.exitCode === null && child.signalCode === null

  async function kill(): Promise<void> {
    if (!isUp()) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  return {
    name: 'backend',
    url: `http://127.0.0.1:${port}/v1`,
    received,
    get pid() {
      return isUp() ? child.pid : undefined
    },
    kill,
    pause: () => signal(isUp() ? child.pid : undefined, 'SIGSTOP'),
    resume: () => signal(isUp() ? child.pid : undefined, 'SIGCONT'),
    async ensureRunning() {
      if (isUp()) return
      starting ??= start().finally(() => {
        starting = undefined
      })
      child = await starting
    },
    log: () => '',
    stop: kill,
  }
}
