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

/** The tag of a value that is marked with a number and holds others. */
export const around = (number: number): number => 0xa0 + number

/** The tag of a value that is marked with a number instead of its own kind. */
export const marked = (number: number): number => 0x80 + number

/** A value of DER that has been checked as a whole. */
export interface Value {
  readonly tag: number
  /** With its tag and its length. */
  readonly whole: Buffer
  readonly content: Buffer
}

const CONSTRUCTED = 0x20
const LONG_LENGTH = 0x80

/** Reads the one value that bytes are; throws when they are not exactly one in DER. */
export function parseDer(bytes: Buffer): Value {
  if (!isDer(bytes)) throw new TypeError('This is not one value in DER.')
  return valueAt(bytes, 0)
}

/** The values that stand in another one, in their order; throws when it is of a kind that holds none. */
export function membersOf({ tag, content }: Value): Value[] {
  if ((tag & CONSTRUCTED) === 0) throw new TypeError('This value holds no others.')
  const members: Value[] = []
  for (let at = 0; at < content.length; ) {
    const member = valueAt(content, at)
    members.push(member)
    at += member.whole.length
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

// Of DER that has been checked: a length is there, and what it says is there.
function valueAt(bytes: Buffer, at: number): Value {
  const first = bytes[at + 1] ?? 0
  const count = first < LONG_LENGTH ? 0 : first - LONG_LENGTH
  const start = at + 2 + count
  const end = start + (count === 0 ? first : bytes.readUIntBE(at + 2, count))
  return { tag: bytes[at] ?? 0, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) }
}
