const FIRST_CAPACITY_BYTES = 256
const NOTHING = Buffer.alloc(0)

/** Bytes that arrive piece by piece; the room doubles, so that appending stays linear in all (S-09). */
export class GrowingBytes {
  #bytes = NOTHING
  #length = 0

  get length(): number {
    return this.#length
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length, FIRST_CAPACITY_BYTES))
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(piece, this.#length)
    this.#length = needed
  }

  /** Hands the bytes over and begins anew; they are never written to again. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = NOTHING
    this.#length = 0
    return taken
  }
}
