import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Which cores serve whom. */
export interface Cores {
  /** The one that what is measured has to itself; undefined where nothing can be pinned. */
  readonly subject: number | undefined
  /** Those of load and model. */
  readonly others: readonly number[]
}

/** Gives what is measured the last core, as the first one takes most interrupts. */
export function divideCores(count = availableParallelism(), canPin = hasTaskset()): Cores {
  const all = Array.from({ length: count }, (_, core) => core)
  if (count < 2 || !canPin) return { subject: undefined, others: all }
  return { subject: count - 1, others: all.slice(0, -1) }
}

/** A command that runs on one core from its first instruction on. */
export function pinned(
  core: number | undefined,
  file: string,
  args: readonly string[],
): [file: string, args: string[]] {
  return core === undefined ? [file, [...args]] : ['taskset', ['-c', String(core), file, ...args]]
}

/** Moves a process that runs, its threads and what it starts from now on. */
export function pin(pid: number, cores: readonly number[]): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', cores.join(','), String(pid)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`taskset could not move process ${pid}: ${stderr}`)
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version']).status === 0
}
