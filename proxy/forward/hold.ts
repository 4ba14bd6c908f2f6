import { limits } from '#contract/limits'

/** What a router may add to an event of a backend: names, usage, its own ids (ours). */
const ADDED_BYTES = 65_536

/** Longest event that is held until it is whole. */
export const MAX_HELD_BYTES = limits.maxEventBytes + ADDED_BYTES

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a

const NOTHING = Buffer.alloc(0)
const FIRST_CAPACITY_BYTES = 1_024

/**
 * Holds back the bytes behind the last event boundary of a stream until the event is whole, so that whoever ends the
 * stream early leaves no half event before the error (STRM-25). Nobody could have seen them earlier: a reader of
 * events waits for the same boundary. Comments are no part of an event and are never held.
 */
export class EventHold {
  #held = NOTHING
  #length = 0
  /** The last two bytes so far. A stream begins as if an event had just ended. */
  #last = LF
  #lastButOne = 0

  /** Bytes that wait for the rest of their event. */
  get heldBytes(): number {
    return this.#length
  }

  /** Whether an event has grown beyond what is held; the stream cannot be read on. */
  get isTooLong(): boolean {
    return this.#length > MAX_HELD_BYTES
  }

  /** Takes what has come; returns what may go on, which may be nothing. Bytes that end on a boundary are not copied. */
  take(bytes: Buffer): Buffer {
    const end = this.#endOfWhole(bytes)
    const whole = this.#length === 0 ? bytes.subarray(0, end) : this.#release(bytes, end)
    if (end < bytes.length) this.#hold(bytes.subarray(end))
    if (bytes.length > 1) this.#lastButOne = bytes[bytes.length - 2]!
    else if (bytes.length === 1) this.#lastButOne = this.#last
    if (bytes.length > 0) this.#last = bytes[bytes.length - 1]!
    return whole
  }

  /** Gives up what is held: the stream has ended by itself, and its end is passed on as it is. */
  rest(): Buffer {
    const rest = this.#held.subarray(0, this.#length)
    this.#forget()
    return rest
  }

  /** Where the last byte stands, plus one, that no unfinished event needs. */
  #endOfWhole(bytes: Buffer): number {
    let end = bytes.length
    while (end > 0 && !this.#isBoundary(bytes, end)) end--
    if (end > 0 || this.#length === 0) return this.#skipComments(bytes, end)
    // What begins with a colon was held because the rest of the comment is missing.
    return this.#held[0] === COLON ? this.#skipComments(bytes, endOfLine(bytes, 0)) : 0
  }

  /** Whether an empty line ends before `end`: two line ends in a row, each of them CR LF, LF or CR. */
  #isBoundary(bytes: Buffer, end: number): boolean {
    const last = bytes[end - 1]!
    if (last !== LF && last !== CR) return false
    const before = this.#at(bytes, end - 2)
    if (last === CR || before !== CR) return before === LF || before === CR
    const third = this.#at(bytes, end - 3)
    return third === LF || third === CR
  }

  /** Comments that are whole, from a place where an event may begin. */
  #skipComments(bytes: Buffer, from: number): number {
    // The other half of a line end that has been passed on.
    let at = bytes[from] === LF && this.#at(bytes, from - 1) === CR ? from + 1 : from
    while (bytes[at] === COLON) {
      const end = endOfLine(bytes, at)
      if (end === 0) break
      at = end
    }
    return at
  }

  #at(bytes: Buffer, index: number): number | undefined {
    if (index >= 0) return bytes[index]
    return index === -1 ? this.#last : this.#lastButOne
  }

  #release(bytes: Buffer, end: number): Buffer {
    if (end === 0) return NOTHING
    const whole = Buffer.concat([this.#held.subarray(0, this.#length), bytes.subarray(0, end)])
    this.#forget()
    return whole
  }

  /** The room doubles, so that what comes byte by byte is copied in linear time. */
  #hold(bytes: Buffer): void {
    const needed = this.#length + bytes.length
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#held.length, FIRST_CAPACITY_BYTES))
      grown.set(this.#held.subarray(0, this.#length))
      this.#held = grown
    }
    this.#held.set(bytes, this.#length)
    this.#length = needed
  }

  #forget(): void {
    this.#held = NOTHING
    this.#length = 0
  }
}

/** Where the line that stands at `from` ends, with its line end; 0 when no end is in sight. */
function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++
  if (at === bytes.length) return 0
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1
}
