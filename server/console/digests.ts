import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Whose tokens there are. */
export type TokenKind = 'session' | 'browser'

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
  /** A new token, which nobody can guess. */
  createToken(kind: TokenKind): string
  /** A token that a browser has sent, if this deployment has made it: others are told so without the database (CONS-60). */
  parseToken(kind: TokenKind, text: string | undefined): string | undefined
}

const KEY_BYTES = 32
/** A token has so many bytes by chance and, behind them, so many that only the deployment's secret gives. */
const CHANCE_BYTES = 24
const MARK_BYTES = 8
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
    createToken(kind) {
      const chance = randomBytes(CHANCE_BYTES)
      return Buffer.concat([chance, markOf(kind, chance)]).toString('base64url')
    },
    parseToken(kind, text) {
      if (text === undefined || !TOKEN.test(text)) return undefined
      const bytes = Buffer.from(text, 'base64url')
      const mark = markOf(kind, bytes.subarray(0, CHANCE_BYTES))
      // Of what differs in its last, unused bits alone there would be two texts.
      const isOurs = isSameDigest(bytes.subarray(CHANCE_BYTES), mark) && bytes.toString('base64url') === text
      return isOurs ? text : undefined
    },
  }

  function markOf(kind: TokenKind, chance: Buffer): Buffer {
    return digest('token', kind, chance.toString('base64url')).subarray(0, MARK_BYTES)
  }
}

/** Whether two digests are the same, in the same time whatever they are. */
export function isSameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
