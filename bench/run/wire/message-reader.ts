/** What a reader finds, in the order of the connection. */
export interface MessageSink {
  /** A whole head, its start line included. */
  onHead(head: string): void
  /** A piece of a body without its framing; only good until it returns. */
  onBody(piece: Buffer): void
  onEnd(): void
}

/** What comes next: a head, a body of so many bytes, a chunk's size, a chunk, the line behind it, the trailers' end. */
type State = 'head' | 'length' | 'size' | 'chunk' | 'behind-chunk' | 'trailers' | 'until-close'

const NOTHING = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'

/**
 * Reads the HTTP/1.1 messages of one connection, as lightly as can be: the load and the model are to cost less than what
 * is measured between them. It trusts its peer, and knows no message that has no body by its status.
 */
export class MessageReader {
  readonly #sink: MessageSink
  #state: State = 'head'
  #left = 0
  #rest: Buffer = NOTHING

  constructor(sink: MessageSink) {
    this.#sink = sink
  }

  push(read: Buffer): void {
    const bytes = this.#rest.length === 0 ? read : Buffer.concat([this.#rest, read])
    this.#rest = NOTHING
    let at = 0
    while (at < bytes.length) {
      const next = this.#step(bytes, at)
      if (next === undefined) {
        // A copy: whoever reads may use its memory again.
        this.#rest = Buffer.from(bytes.subarray(at))
        return
      }
      at = next
    }
  }

  /** The connection has ended: so has a body without a length. */
  close(): void {
    if (this.#state === 'until-close') this.#end()
  }

  /** Takes the next part and gives where it ends; undefined where more has to come first. */
  #step(bytes: Buffer, at: number): number | undefined {
    if (this.#state === 'head') return this.#readHead(bytes, at)
    if (this.#state === 'size') return this.#readSize(bytes, at)
    if (this.#state === 'trailers') return this.#readTrailers(bytes, at)
    if (this.#state === 'until-close') {
      this.#sink.onBody(bytes.subarray(at))
      return bytes.length
    }
    const end = Math.min(bytes.length, at + this.#left)
    if (this.#state !== 'behind-chunk') this.#sink.onBody(bytes.subarray(at, end))
    this.#left -= end - at
    if (this.#left === 0) this.#endPart()
    return end
  }

  #endPart(): void {
    if (this.#state === 'length') this.#end()
    else if (this.#state === 'behind-chunk') this.#state = 'size'
    else {
      this.#state = 'behind-chunk'
      this.#left = 2
    }
  }

  #readHead(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(HEAD_END, at)
    if (end < 0) return undefined
    const head = bytes.toString('latin1', at, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    this.#sink.onHead(head)
    if (length !== null) {
      this.#state = 'length'
      this.#left = Number(length[1])
      if (this.#left === 0) this.#end()
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = 'size'
    else if (head.startsWith('HTTP/')) this.#state = 'until-close'
    else this.#end()
    return end + HEAD_END.length
  }

  #readSize(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return undefined
    this.#left = Number.parseInt(bytes.toString('latin1', at, end), 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return end + 2
  }

  #readTrailers(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return undefined
    if (end === at) this.#end()
    return end + 2
  }

  #end(): void {
    this.#state = 'head'
    this.#sink.onEnd()
  }
}
