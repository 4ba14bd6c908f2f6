import { ApiError } from '../errors.ts'
import { isOutage } from '../store/outage.ts'

/** What a request of a workspace is told whose database is away; nothing of it was accepted (OPS-25). */
export function away(cause?: unknown): ApiError {
  const message = 'The database of this workspace is away. Try again shortly.'
  return new ApiError('overloaded', message, {
    headers: { 'Retry-After': '1', 'x-should-retry': 'true' },
    cause,
  })
}

/** Does what needs a database, and throws 503 `overloaded` where that is away. */
export async function unlessAway<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    throw isOutage(error) ? away(error) : error
  }
}
