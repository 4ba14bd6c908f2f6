import { hash } from 'node:crypto'
import { ApiError } from '../errors.ts'

/** `sk-tee-v1-` and 32 bytes in base64url: the 43rd character carries four bits, so only sixteen can stand there. */
const KEY = /^sk-tee-v1-[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
const BEARER = /^bearer +(\S+) *$/i

/** What every 401 tells the caller to do (AUTH-05). */
const HINT = 'as `Authorization: Bearer <API_KEY>`.'

/** The refusals of a key, each with its message. */
export const keyRefusals = {
  invalid_api_key: `The API key is missing or wrong. Send your key ${HINT}`,
  api_key_revoked: `This API key has been revoked. Send another key ${HINT}`,
  api_key_expired: `This API key has expired. Send another key ${HINT}`,
} as const

/**
 * Reads the key of a request and gives its SHA-256 in hex; the plaintext goes no further. Whatever is not exactly
 * a key is refused without a look-up (AUTH-13).
 */
export function parseAuthorization(header: string | undefined): string {
  const key = BEARER.exec(header ?? '')?.[1]
  if (key === undefined || !KEY.test(key)) throw new ApiError('invalid_api_key', keyRefusals.invalid_api_key)
  return hash('sha256', key, 'hex')
}
