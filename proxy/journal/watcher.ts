import type { RawHeaders } from '../raw-headers.ts'
import { type Seen, seenIn } from './usage.ts'

/** Looks at an answer as it passes, and changes nothing about it. */
export interface Watcher {
  see(bytes: Buffer): void
  /** What has been seen so far. */
  seen(): Seen
  /** Whether the answer told its own end: `[DONE]`, of a stream. */
  readonly isDone: boolean
}

/** Most that is held of one answer (ours); usage that needs more is not seen. */
const MAX_BYTES = 1024 * 1024

const unseen: Seen = { model: undefined, usage: undefined }

const LINE_END = 0x0a
const USAGE = '"usage"'
const DATA = 'data:'
const DONE = '[DONE]'

/** Chooses how to look at an answer; what is neither a stream nor a JSON body in plain text shows nothing. */
export function createWatcher(headers: RawHeaders): Watcher {
  const type = headers.first('content-type') ?? ''
  const isPlain = /^identity$/i.test(headers.first('content-encoding') ?? 'identity')
  if (isPlain && /^text\/event-stream\b/i.test(type)) return new StreamWatcher()
  const isShort = Number(headers.first('content-length') ?? 0) <= MAX_BYTES
  return isPlain && isShort && /^application\/json\b/i.test(type) ? new BodyWatcher() : nothing
}

const nothing: Watcher = { see() {}, seen: () => unseen, isDone: false }

/** Holds a body until its end, or until it is too long. */
class BodyWatcher implements Watcher {
  readonly isDone = false
  #pieces: Buffer[] = []
  #length = 0

  see(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length <= MAX_BYTES) this.#pieces.push(bytes)
    else this.#pieces = []
  }

  seen(): Seen {
    return this.#length <= MAX_BYTES ? seenIn(Buffer.concat(this.#pieces).toString('utf8')) : unseen
  }
}

/** Reads the events that may hold usage, and the first for its model; all others pass unread. */
class StreamWatcher implements Watcher {
  isDone = false
  #seen = unseen
  #isModelSought = true
  #begun: Buffer[] = []
  #begunBytes = 0

  see(bytes: Buffer): void {
    let from = 0
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, from)) {
      this.#add(bytes.subarray(from, end))
      if (this.#begunBytes <= MAX_BYTES) this.#read(this.#line())
      this.#begun = []
      this.#begunBytes = 0
      from = end + 1
    }
    if (from < bytes.length) this.#add(bytes.subarray(from))
  }

  seen(): Seen {
    return this.#seen
  }

  #add(bytes: Buffer): void {
    this.#begunBytes += bytes.length
    if (this.#begunBytes <= MAX_BYTES) this.#begun.push(bytes)
    else this.#begun = []
  }

  #line(): Buffer {
    return this.#begun.length === 1 ? this.#begun[0]! : Buffer.concat(this.#begun)
  }

  #read(line: Buffer): void {
    if (!this.#isModelSought && line.length > DONE.length + DATA.length + 2 && !line.includes(USAGE)) return
    const text = line.toString('utf8')
    if (!text.startsWith(DATA)) return
    const data = text.slice(DATA.length).trim()
    if (data === DONE) {
      this.isDone = true
      return
    }
    const { model, usage } = seenIn(data)
    this.#isModelSought = false
    this.#seen = { model: this.#seen.model ?? model, usage: usage ?? this.#seen.usage }
  }
}
