import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes after which it is worth to look (ours): less is lost in what the process needs anyway. */
const WORTH_BYTES = 67_108_864

/** How long nothing has to have come (ours). */
const QUIET_MS = 5_000

/** Gives memory back that bodies have left behind. */
export interface Collector {
  /** So many bytes are not needed any more. */
  released(bytes: number): void
}

/**
 * A process that has become quiet does not collect: hundreds of megabytes of bodies would stay with it until the next
 * load. Collected is when it is quiet, aside from the loop as far as V8 can.
 */
export function createCollector(collect: () => void = findCollect(), quietMs = QUIET_MS): Collector {
  let left = 0
  let timer: NodeJS.Timeout | undefined
  return {
    released(bytes) {
      left += bytes
      if (left < WORTH_BYTES) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        left = 0
        collect()
      }, quietMs)
      timer.unref()
    },
  }
}

function findCollect(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  return () => gc({ type: 'major', execution: 'async' })
}
