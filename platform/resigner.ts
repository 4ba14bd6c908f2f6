import { describe, type Log } from './log.ts'
import type { Platform } from './platform.ts'

/** Signs the bundle anew every few minutes (BNDL-05), unless it is held. */
export interface Resigner {
  readonly held: boolean
  /** Stops signing by itself; what is published stays as it is, byte for byte. */
  hold(): void
  release(): void
  stop(): void
}

/** Starts signing every `intervalMs`; a signing that fails is a warning of the log, and is tried at the next one. */
export function startResigner(platform: Platform, intervalMs: number, log: Log): Resigner {
  let held = false
  const timer = setInterval(() => {
    if (held) return
    platform.resign().catch((error: unknown) => log.warn('not signed', { cause: describe(error) }))
  }, intervalMs)
  return {
    get held() {
      return held
    },
    hold() {
      held = true
    },
    release() {
      held = false
    },
    stop: () => clearInterval(timer),
  }
}
