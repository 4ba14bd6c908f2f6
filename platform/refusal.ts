import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, errors } from '#contract/errors'
import { limits } from '#contract/limits'

const REQUEST_ID = new RegExp(`^[\\x21-\\x7e]{1,${limits.maxRequestIdCharacters}}$`)

/** Answers with an error of the contract (ERR-01). Headers that were set on the response go with it. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  message: string,
): void {
  const { status, type } = errors[code]
  const given = request.headers['x-request-id']
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  const body = Buffer.from(JSON.stringify({ error: { message, type, code } }))
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'X-Request-Id': requestId,
  })
  response.end(body)
}
