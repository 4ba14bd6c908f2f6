import { hash } from 'node:crypto'
import { refusalOf } from './refusals.ts'

/** `sk-tee-v1-` and 32 bytes in base64url: the 43rd character carries four bits, so only sixteen can stand there. */
const KEY = /^sk-tee-v1-[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
const BEARER = /^bearer +(\S+) *$/i

/**
 * Reads the key of a request and gives its SHA-256 in hex; the plaintext goes no further. Whatever is not exactly
 * a key is refused without a look-up (AUTH-13).
 */
export function parseAuthorization(header: string | undefined): string {
  const key = BEARER.exec(header ?? '')?.[1]
  if (key === undefined || !KEY.test(key)) throw refusalOf('invalid_api_key')
  return hash('sha256', key, 'hex')
}
