/** Enough to hold the last event of a stream that is complete: `data: [DONE]` and two line ends. */
const TAIL_BYTES = 16

const DONE = /^data: ?\[DONE\](\r\n|\r|\n){1,2}$/m

/** Remembers how an event stream ended so far, without looking at what it says. */
export class StreamTail {
  #tail = ''

  see(bytes: Buffer): void {
    const end = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))
    this.#tail = end.length === TAIL_BYTES ? end : (this.#tail + end).slice(-TAIL_BYTES)
  }

  /** Whether the stream has had its proper end (STRM-04). */
  get isDone(): boolean {
    return DONE.test(this.#tail)
  }
}
