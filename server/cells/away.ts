import { ApiError } from '../errors.ts'
import type { KeyPlace } from '../store/directory.ts'
import { isOutage } from '../store/outage.ts'
import type { Locator } from './locator.ts'

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

/** Where a key lives. Home is not asked while it is known to be away; throws 503 `overloaded` then. */
export async function placeOf(
  keyHash: string,
  locator: Pick<Locator, 'known' | 'find'>,
  isHomeLeased: boolean,
): Promise<KeyPlace | undefined> {
  const known = locator.known(keyHash)
  if (known) return known
  if (!isHomeLeased) throw away()
  return await unlessAway(() => locator.find(keyHash))
}
