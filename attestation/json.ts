import { readString } from './json-string.ts'
import { type Json, type JsonDocument, JsonError, type JsonObject } from './json-value.ts'

/** Deepest nesting that is read; ours. */
const MAX_DEPTH = 128

/** 2^53, the largest integer that every reader takes for the same, as it is written. */
const MAX_INTEGER = '9007199254740992'

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?/y
const INTEGER = /^-?([0-9]+)$/
const WORDS: ReadonlyMap<number, readonly [word: string, value: boolean | null]> = new Map([
  [0x74, ['true', true]],
  [0x66, ['false', false]],
  [0x6e, ['null', null]],
])

/** The UTF-16 units that JSON is made of. */
const units = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/**
 * Reads a document so that only one reading of it exists: UTF-8 without a BOM, no name twice in an object, no
 * integer beyond 2^53, no lone surrogate, bounded nesting (BNDL-24), and at most `maxParts` names and values.
 * JSON.parse is not used at all: it keeps the last of two equal names, and V8's mistakes one escaped name for another
 * that it has seen before.
 */
export function parseJson(bytes: Uint8Array, maxParts: number): JsonDocument {
  return new Reader(decodeText(bytes), maxParts).readDocument()
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
  #partsLeft: number

  constructor(text: string, maxParts: number) {
    this.#text = text
    this.#partsLeft = maxParts
  }

  readDocument(): JsonDocument {
    const value = this.#readValue(1)
    if (this.#at < this.#text.length) throw new JsonError('not_json')
    return { value, members: this.#members }
  }

  #readValue(depth: number): Json {
    if (depth > MAX_DEPTH) throw new JsonError('ambiguous')
    this.#countPart()
    this.#skipSpace()
    const value = this.#readToken(depth)
    this.#skipSpace()
    return value
  }

  #readToken(depth: number): Json {
    const first = this.#text.charCodeAt(this.#at)
    if (first === units.quote) return this.#readString()
    if (first === units.openBrace) return this.#readObject(depth)
    if (first === units.openBracket) return this.#readArray(depth)
    const word = WORDS.get(first)
    return word ? this.#readWord(...word) : this.#readNumber()
  }

  #readObject(depth: number): JsonObject {
    const object: Record<string, Json> = Object.create(null)
    this.#at += 1
    this.#skipSpace()
    if (this.#accept(units.closeBrace)) return object
    do {
      this.#skipSpace()
      this.#countPart()
      const name = this.#readString()
      // Nothing is inherited and no value is undefined; Object.hasOwn takes longer.
      if (object[name] !== undefined) throw new JsonError('duplicate_key')
      this.#skipSpace()
      this.#expect(units.colon)
      const start = this.#at
      object[name] = this.#readValue(depth + 1)
      if (depth === 1) this.#members.set(name, this.#text.slice(start, this.#at))
    } while (this.#accept(units.comma))
    this.#expect(units.closeBrace)
    return object
  }

  #readArray(depth: number): Json[] {
    const array: Json[] = []
    this.#at += 1
    this.#skipSpace()
    if (this.#accept(units.closeBracket)) return array
    do array.push(this.#readValue(depth + 1))
    while (this.#accept(units.comma))
    this.#expect(units.closeBracket)
    return array
  }

  #readString(): string {
    const { value, end } = readString(this.#text, this.#at)
    this.#at = end
    return value
  }

  #readWord(word: string, value: boolean | null): boolean | null {
    if (!this.#text.startsWith(word, this.#at)) throw new JsonError('not_json')
    this.#at += word.length
    return value
  }

  #readNumber(): number {
    NUMBER.lastIndex = this.#at
    if (!NUMBER.test(this.#text)) throw new JsonError('not_json')
    const token = this.#text.slice(this.#at, NUMBER.lastIndex)
    this.#at = NUMBER.lastIndex
    return parseNumber(token)
  }

  #countPart(): void {
    if (this.#partsLeft === 0) throw new JsonError('too_large')
    this.#partsLeft -= 1
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
  }

  #accept(unit: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== unit) return false
    this.#at += 1
    return true
  }

  #expect(unit: number): void {
    if (!this.#accept(unit)) throw new JsonError('not_json')
  }
}

/** Whether a UTF-16 unit is white space between tokens (RFC 8259, 2). */
export function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

function parseNumber(token: string): number {
  const value = Number(token)
  if (!Number.isFinite(value)) throw new JsonError('ambiguous')
  if (token.length < MAX_INTEGER.length) return value
  if (isBeyond(INTEGER.exec(token)?.[1] ?? '')) throw new JsonError('ambiguous')
  return value
}

/** Digits as JSON writes them, without a zero before them: compared as text, for a number would have been rounded. */
function isBeyond(digits: string): boolean {
  return digits.length > MAX_INTEGER.length || (digits.length === MAX_INTEGER.length && digits > MAX_INTEGER)
}
