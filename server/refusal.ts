import { ApiError } from './errors.ts'
import type { Help } from './help.ts'
import { requestIdFor } from './request-id.ts'

/** What is no request that anything of the router could be asked about. */
export const MALFORMED = new ApiError(
  'invalid_json',
  'This is not a well-formed HTTP/1.1 request for this server.',
)

/** The body of an answer that refuses. */
export function bodyOf(error: ApiError): string {
  return JSON.stringify(error.toBody())
}

/** Its headers, where no request has an id yet. */
export function headersOf(error: ApiError, help: Help): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'X-Request-Id': requestIdFor(undefined),
    ...error.headers,
    ...help(error),
  }
}
