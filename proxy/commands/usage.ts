import { UsageError } from '#base/command.ts'

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses `90s`, `30m`, `24h` or `7d`; throws `UsageError` naming the option. */
export function parseDuration(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const durationMs = Number(count) * (UNITS_MS[unit ?? ''] ?? Number.NaN)
  if (durationMs > 0) return durationMs
  throw new UsageError(`${option} must be a duration such as 90s, 30m, 24h or 7d, not "${text}".`)
}

/** Parses an ISO 8601 time; throws `UsageError` naming the option. */
export function parseTime(option: string, text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new UsageError(`${option} must be an ISO 8601 time such as 2030-01-31T12:00:00Z, not "${text}".`)
}

/** Parses the URL of an endpoint; throws `UsageError`. */
export function parseEndpointUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url
  throw new UsageError(`"${text}" is not the https URL of an endpoint.`)
}
