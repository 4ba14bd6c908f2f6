import type { Log } from '../log.ts'
import type { Embedded } from './embedded.ts'

/** What the supervisor of the embedded database tells, and how often it looks. */
export interface SuperviseOptions {
  readonly log: Log
  readonly onRestart?: () => void
  readonly intervalMs?: number
}

/** Milliseconds, ours: noticing and recovering together must stay well below a 5 s outage. */
const INTERVAL_MS = 200

/** Restarts the embedded database whenever it has died; stop this before stopping the database. */
export function supervise(embedded: Embedded, options: SuperviseOptions): { stop(): Promise<void> } {
  const { log, onRestart, intervalMs = INTERVAL_MS } = options
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let look: Promise<void> = Promise.resolve()

  async function lookAfter(): Promise<void> {
    try {
      if (embedded.pid() === undefined && (await embedded.ensureRunning())) {
        log.warn('the database had died and is back', { pid: embedded.pid() ?? 0 })
        onRestart?.()
      }
    } catch (error) {
      log.error('the database has died and does not start', { error })
    }
    if (!isStopped) schedule()
  }

  function schedule(): void {
    timer = setTimeout(() => {
      look = lookAfter()
    }, intervalMs)
    timer.unref()
  }

  schedule()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await look
    },
  }
}
