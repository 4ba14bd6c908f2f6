import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Counts what some processes do until it is told to stop; resolves undefined where nothing was counted. */
export type StopCounting = () => Promise<number | undefined>

/** Whether `perf` counts instructions here: many virtual machines do not let it. */
export function canCountInstructions(): boolean {
  const { stderr } = spawnSync('perf', ['stat', '-x,', '-e', 'instructions', 'true'], { encoding: 'utf8' })
  return readInstructions(stderr ?? '') !== undefined
}

/** Counts the instructions of processes and of the threads that they start meanwhile. */
export function countInstructions(pids: readonly number[]): StopCounting {
  const perf = spawn('perf', ['stat', '-x,', '-e', 'instructions', '-p', pids.join(',')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const told = text(perf.stderr)
  const ended = once(perf, 'close')
  return async () => {
    perf.kill('SIGINT')
    await ended
    return readInstructions(await told)
  }
}

/** Reads what `perf stat -x,` writes: the count is the first member of its line. */
export function readInstructions(output: string): number | undefined {
  const count = /^(\d+),[^,]*,instructions/m.exec(output)?.[1]
  return count === undefined ? undefined : Number(count)
}
