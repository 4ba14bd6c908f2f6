const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What of the past the overview shows. */
export type Period = '24h' | '7d' | '30d' | '12m'

interface PeriodWords {
  readonly id: Period
  readonly name: string
  readonly inWords: string
  readonly bucket: 'hour' | 'day'
  readonly lengthMs: number
}

export const periods: readonly PeriodWords[] = [
  { id: '24h', name: '24 h', inWords: 'in the last 24 hours', bucket: 'hour', lengthMs: DAY_MS },
  { id: '7d', name: '7 d', inWords: 'in the last 7 days', bucket: 'hour', lengthMs: 7 * DAY_MS },
  { id: '30d', name: '30 d', inWords: 'in the last 30 days', bucket: 'day', lengthMs: 30 * DAY_MS },
  { id: '12m', name: '12 m', inWords: 'in the last 12 months', bucket: 'day', lengthMs: 365 * DAY_MS },
]

/** A period in whole buckets of UTC, the one that runs now as the last. */
export function spanOf(period: Period, now: Date) {
  const { bucket, lengthMs } = periods.find(({ id }) => id === period)!
  const size = bucket === 'hour' ? HOUR_MS : DAY_MS
  const to = (Math.floor(now.getTime() / size) + 1) * size
  return { bucket, from: new Date(to - lengthMs).toISOString(), to: new Date(to).toISOString() }
}
