import type { Log } from '../log.ts'

/** Something that is done again and again until it is stopped. */
export interface Ticker {
  /** Stops it; resolves once a run that is under way has ended. */
  stop(): Promise<void>
}

/** What a ticker does and how often. A failed run is logged and tried again after `retryMs`. */
export interface TickerOptions {
  readonly name: string
  readonly intervalMs: number
  /** Before the first run; one interval when left out. */
  readonly firstMs?: number
  readonly retryMs?: number
  readonly log: Log
  readonly task: () => Promise<void>
}

/** Runs `task` every `intervalMs`, never twice at a time. */
export function startTicker(options: TickerOptions): Ticker {
  const { name, intervalMs, firstMs = intervalMs, retryMs = intervalMs, log, task } = options
  let isStopped = false
  let run: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout

  async function tick(): Promise<void> {
    let nextMs = intervalMs
    try {
      await task()
    } catch (error) {
      nextMs = retryMs
      log.warn(`${name} failed`, { error })
    }
    if (!isStopped) schedule(nextMs)
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      run = tick()
    }, delayMs)
    timer.unref()
  }

  schedule(firstMs)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await run
    },
  }
}
