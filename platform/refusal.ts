import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
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

/** The whole answer to bytes that are no request, by the code of Node's parser; the connection ends with it. */
export function unreadable(parserCode: string | undefined): string {
  const [code, message] =
    parserCode === 'HPE_HEADER_OVERFLOW'
      ? (['headers_too_large', 'The request line and the headers have too many bytes.'] as const)
      : (['invalid_json', 'This is not a well-formed HTTP/1.1 request for this gateway.'] as const)
  const { status, type } = errors[code]
  const body = JSON.stringify({ error: { message, type, code } })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
