import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** What stands in the database in place of things that it must not give away. */
export interface Digests {
  /** Of a browser's token. */
  browser(token: string): Buffer
  /** Of an address. */
  address(email: string): Buffer
  /** Of a source address. */
  source(address: string): Buffer
  /** Of a code, for one browser and one address. */
  code(code: string, browser: string, email: string): Buffer
  /** Of a session's token. */
  session(token: string): Buffer
}

const KEY_BYTES = 32
const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** HMACs under a key of their own, derived from the deployment's secret; what each is of is part of it (CONS-26). */
export function createDigests(secret: () => Buffer): Digests {
  let key: Buffer | undefined
  const digest = (...parts: readonly string[]): Buffer => {
    key ??= Buffer.from(hkdfSync('sha256', secret(), '', 'router: console sign-in', KEY_BYTES))
    return createHmac('sha256', key).update(JSON.stringify(parts)).digest()
  }
  return {
    browser: (token) => digest('browser', token),
    address: (email) => digest('address', email),
    source: (address) => digest('source', address),
    code: (code, browser, email) => digest('code', code, browser, email),
    session: (token) => digest('session', token),
  }
}

/** A new token of a browser or a session, which nobody can guess. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** A token that a browser has sent, if it can be one of ours. */
export function parseToken(text: string | undefined): string | undefined {
  return text !== undefined && TOKEN.test(text) ? text : undefined
}

/** Whether two digests are the same, in the same time whatever they are. */
export function isSameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
