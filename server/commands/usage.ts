/** An argument that cannot be meant; the command exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses a whole number of at least 1, or throws `UsageError` naming the option. */
export function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_COUNT) {
    throw new UsageError(`${option} must be a whole number from 1 to ${MAX_COUNT}, not "${text}".`)
  }
  return count
}

const MAX_COUNT = 2_147_483_647

/** Parses an ISO 8601 time, or throws `UsageError` naming the option. */
export function parseTime(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError(`${option} must be an ISO 8601 time such as 2030-01-31T12:00:00Z, not "${text}".`)
  }
  return time
}
