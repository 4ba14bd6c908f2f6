import { isDer } from './der.ts'

/** Tags of the values that certificates are made of. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

const CONSTRUCTED = 0x20
const LONG_LENGTH = 0x80

/** The tag of a value that is marked with a number and holds others. */
export const around = (number: number): number => 0xa0 + number

/** The tag of a value that is marked with a number instead of its own kind. */
export const marked = (number: number): number => 0x80 + number

/** A value of DER that has been checked as a whole. */
export class Value {
  readonly bytes: Buffer
  /** Where its tag stands, where its content begins, and where both end. */
  readonly at: number
  readonly start: number
  readonly end: number

  // Of DER that has been checked: a length is there, and what it says is there.
  constructor(bytes: Buffer, at: number) {
    const first = bytes[at + 1] ?? 0
    const count = first < LONG_LENGTH ? 0 : first - LONG_LENGTH
    this.bytes = bytes
    this.at = at
    this.start = at + 2 + count
    this.end = this.start + (count === 0 ? first : bytes.readUIntBE(at + 2, count))
  }

  get tag(): number {
    return this.bytes[this.at] ?? 0
  }

  /** With its tag and its length. */
  get whole(): Buffer {
    return this.bytes.subarray(this.at, this.end)
  }

  get content(): Buffer {
    return this.bytes.subarray(this.start, this.end)
  }
}

/** Reads bytes as one value. Throws a `TypeError` unless they are exactly one, in DER. */
export function parseDer(bytes: Buffer): Value {
  if (!isDer(bytes)) throw new TypeError('This is not one value in DER.')
  return new Value(bytes, 0)
}

/** The values within another one, in their order. Throws a `TypeError` for a value that holds bytes, not values. */
export function membersOf({ tag, bytes, start, end }: Value): Value[] {
  if ((tag & CONSTRUCTED) === 0) throw new TypeError('This value holds no others.')
  const members: Value[] = []
  for (let at = start; at < end; ) {
    const member = new Value(bytes, at)
    members.push(member)
    at = member.end
  }
  return members
}

/** The members of a value, taken one after another as their model lists them. */
export class Members {
  readonly #members: readonly Value[]
  #at = 0

  /** Throws when the value has another tag. */
  constructor(value: Value | undefined, tag: number = tags.sequence) {
    this.#members = membersOf(expectTag(value, tag))
  }

  /** The next member when it has this tag. */
  take(tag: number): Value | undefined {
    const member = this.#members[this.#at]
    if (member?.tag !== tag) return undefined
    this.#at += 1
    return member
  }

  /** The next member; throws when it has another tag. */
  need(tag: number): Value {
    return expectTag(this.take(tag), tag)
  }

  /** Throws when more members follow: whatever they say, they must not be passed over. */
  end(): void {
    if (this.#at < this.#members.length) throw new TypeError('Something stands behind the last member.')
  }
}

/** The value itself; throws when it has another tag or is none. */
export function expectTag(value: Value | undefined, tag: number): Value {
  if (value?.tag !== tag) throw new TypeError(`A value with the tag ${tag} is missing.`)
  return value
}
