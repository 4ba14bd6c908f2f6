import { type Json, type JsonDocument, JsonError, type JsonObject } from './json-value.ts'

/** Deepest nesting that is read; ours. */
const MAX_DEPTH = 128
const MAX_INTEGER = 2n ** 53n

// The grammar of RFC 8259. No two parts of STRING begin alike, so that it never tries a text twice.
const SPACE = /[ \t\n\r]*/y
const STRING = /"[ !#-[\]-\u{10FFFF}]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[ !#-[\]-\u{10FFFF}]*)*"/uy
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?/y
const WORD = /true|false|null/y

const INTEGER = /^-?[0-9]+$/
const ESCAPE = /\\(?:u(.{4})|(.))/g
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/**
 * Reads a document so that only one reading of it exists: UTF-8 without a BOM, no name twice in an object, no
 * integer beyond 2^53, no lone surrogate, bounded nesting (decisions, 8). JSON.parse is not used at all: it keeps
 * the last of two equal names, and V8's mistakes one escaped name for another that it has seen before.
 */
export function parseJson(bytes: Uint8Array): JsonDocument {
  return new Reader(decodeText(bytes)).readDocument()
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new JsonError('not_json', cause)
  }
}

/** Reads one document from its text, left to right, once. */
class Reader {
  readonly #text: string
  readonly #members = new Map<string, string>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  readDocument(): JsonDocument {
    const value = this.#readValue(1)
    if (this.#at < this.#text.length) throw new JsonError('not_json')
    return { value, members: this.#members }
  }

  #readValue(depth: number): Json {
    if (depth > MAX_DEPTH) throw new JsonError('ambiguous')
    this.#take(SPACE)
    const value = this.#readToken(depth)
    this.#take(SPACE)
    return value
  }

  #readToken(depth: number): Json {
    const first = this.#text[this.#at]
    if (first === '{') return this.#readObject(depth)
    if (first === '[') return this.#readArray(depth)
    if (first === '"') return this.#readString()
    if (first === 't' || first === 'f' || first === 'n') return WORDS[this.#take(WORD)] ?? null
    return parseNumber(this.#take(NUMBER))
  }

  #readObject(depth: number): JsonObject {
    const object: Record<string, Json> = Object.create(null)
    this.#at += 1
    this.#take(SPACE)
    if (this.#accept('}')) return object
    do {
      this.#take(SPACE)
      const name = this.#readString()
      if (Object.hasOwn(object, name)) throw new JsonError('duplicate_key')
      this.#take(SPACE)
      this.#expect(':')
      const start = this.#at
      object[name] = this.#readValue(depth + 1)
      if (depth === 1) this.#members.set(name, this.#text.slice(start, this.#at))
    } while (this.#accept(','))
    this.#expect('}')
    return object
  }

  #readArray(depth: number): Json[] {
    const array: Json[] = []
    this.#at += 1
    this.#take(SPACE)
    if (this.#accept(']')) return array
    do array.push(this.#readValue(depth + 1))
    while (this.#accept(','))
    this.#expect(']')
    return array
  }

  #readString(): string {
    const value = this.#take(STRING).slice(1, -1).replace(ESCAPE, unescapeOne)
    if (!value.isWellFormed()) throw new JsonError('ambiguous')
    return value
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const token = pattern.exec(this.#text)?.[0]
    if (token === undefined) throw new JsonError('not_json')
    this.#at += token.length
    return token
  }

  #accept(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #expect(character: string): void {
    if (!this.#accept(character)) throw new JsonError('not_json')
  }
}

function unescapeOne(_: string, digits: string | undefined, letter: string): string {
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16))
  return ESCAPED[letter] ?? letter
}

function parseNumber(token: string): number {
  const value = Number(token)
  if (!Number.isFinite(value) || (INTEGER.test(token) && isBeyond(BigInt(token))))
    throw new JsonError('ambiguous')
  return value
}

function isBeyond(integer: bigint): boolean {
  return integer > MAX_INTEGER || integer < -MAX_INTEGER
}
