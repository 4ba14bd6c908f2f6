import { statSync } from 'node:fs'
import { type Clock, systemClock } from '#egress/clock.ts'
import { ConfigError } from '../../config/error.ts'
import type { Log } from '../log.ts'
import type { ProxyConfig } from './proxy.ts'

/** The file that is watched, and who reads and takes it. */
export interface WatchOptions {
  readonly file: string
  /** Reads the file; throws `ConfigError` with every mistake. */
  readonly load: () => ProxyConfig
  /** Is handed what the file says, once after each change. */
  readonly take: (config: ProxyConfig) => void
  readonly log: Log
  readonly clock?: Clock
}

/** How often the file is looked at (ours). */
const LOOK_MS = 1_000

/**
 * Looks at a configuration file every second, and hands on what it says whenever it has changed; one with mistakes
 * changes nothing, and is told once. The first look always reads: the file may have changed while the proxy started.
 * The result ends it.
 */
export function watchConfig({ file, load, take, log, clock = systemClock }: WatchOptions): () => void {
  let seen: string | undefined
  let cancel = clock.schedule(LOOK_MS, look)
  return () => cancel()

  function look(): void {
    cancel = clock.schedule(LOOK_MS, look)
    const stamp = stampOf(file)
    if (stamp === seen) return
    const { config, error } = attempt(load)
    // Written to while it was read: the next look finds it whole.
    if (stampOf(file) !== stamp) return
    seen = stamp
    if (config === undefined) tell(error, log)
    else take(config)
  }
}

/** What changes with the file, however it is written. */
function stampOf(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    // Reading it will tell why.
    return 'out of reach'
  }
}

function attempt(load: () => ProxyConfig): { readonly config?: ProxyConfig; readonly error?: unknown } {
  try {
    return { config: load() }
  } catch (error) {
    return { error }
  }
}

function tell(error: unknown, log: Log): void {
  const message = 'the changed configuration has a mistake, and nothing of it is taken up'
  if (error instanceof ConfigError)
    for (const { path, message: mistake } of error.problems) log.error(message, { setting: path, mistake })
  else log.error(message, { error })
}
