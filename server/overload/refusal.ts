import { ApiError } from '../errors.ts'

/** The 503 of what is one too many, which whoever hears it may send again (LIM-45). */
export function overloaded(message: string): ApiError {
  return new ApiError('overloaded', message, { headers: { 'Retry-After': '1', 'x-should-retry': 'true' } })
}
