/** Bytes that are taken one piece after another; all numbers have their lowest byte first. */
export class Bytes {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The next bytes; throws when there are not so many. */
  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('The bytes end too early.')
    const piece = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return piece
  }

  takeUint16(): number {
    return this.take(2).readUInt16LE()
  }

  takeUint32(): number {
    return this.take(4).readUInt32LE()
  }

  /** All that was taken so far. */
  get taken(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  /** All that follows. */
  get rest(): Buffer {
    return this.#bytes.subarray(this.#at)
  }
}
