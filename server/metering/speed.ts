import type { Usage } from './generation.ts'

/** What a speed is told from. */
interface Timed {
  readonly usage: Pick<Usage, 'completionTokens'>
  readonly latencyMs: number
  readonly timeToFirstTokenMs: number | null
}

const MS_PER_SECOND = 1_000

/**
 * Completion tokens per second from the first token to the end, in tenths; null where there is nothing to divide by.
 * The database's function `speed` sorts by the same figure.
 */
export function tokensPerSecond({ usage, latencyMs, timeToFirstTokenMs }: Timed): number | null {
  const durationMs = latencyMs - (timeToFirstTokenMs ?? 0)
  if (usage.completionTokens === 0 || durationMs <= 0) return null
  return Math.round((usage.completionTokens * MS_PER_SECOND * 10) / durationMs) / 10
}
