import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The model, in several processes. */
export interface Backend {
  /** With `/v1`. */
  readonly url: string
  readonly pids: readonly number[]
  stop(): void
}

const WORKER = join(import.meta.dirname, 'worker.ts')

/** Starts so many processes on one port of the loopback. */
export async function startBackend(processes: number): Promise<Backend> {
  const first = fork(WORKER, ['0'])
  const [port] = (await once(first, 'message')) as [number]
  const workers: ChildProcess[] = [first]
  for (let count = 1; count < processes; count++) {
    const worker = fork(WORKER, [String(port)])
    workers.push(worker)
    await once(worker, 'message')
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    pids: workers.map(({ pid }) => pid!),
    stop() {
      for (const worker of workers) if (worker.connected) worker.disconnect()
    },
  }
}
