import { limits } from '#contract/limits'

const MS_PER_SECOND = 1_000

/** Workspaces that are remembered; one that is forgotten has its whole burst again (ours). */
const MAX_OWNERS = 10_000

/** Spreads the bytes of large bodies over time, for each workspace by itself. */
export interface ByteRate {
  /** Takes these bytes, and gives the milliseconds to wait before the next are read. */
  take(owner: string, bytes: number): number
}

/**
 * Each MiB of a body takes milliseconds of the one thread that serves everybody, whatever becomes of it: 600 requests
 * a minute of 32 MiB each would take all of them. What comes faster is read later, which the sender's own socket feels.
 */
export function createByteRate(burstBytes: number, now: () => number = () => performance.now()): ByteRate {
  const perMs = limits.bodyBytesPerSecond / MS_PER_SECOND
  const levels = new Map<string, { readonly level: number; readonly atMs: number }>()
  return {
    take(owner, bytes) {
      const nowMs = now()
      const last = levels.get(owner)
      const filled = last === undefined ? burstBytes : last.level + (nowMs - last.atMs) * perMs
      const level = Math.min(burstBytes, filled) - bytes
      // Taken out and put back, so that the map is in the order of the last use.
      levels.delete(owner)
      levels.set(owner, { level, atMs: nowMs })
      if (levels.size > MAX_OWNERS) levels.delete(levels.keys().next().value!)
      return level >= 0 ? 0 : -level / perMs
    },
  }
}
