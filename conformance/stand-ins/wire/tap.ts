import type { Socket } from 'node:net'

/** A header that is put into answers. */
export interface Insertion {
  /** Text in the head of the request whose answer it is. */
  readonly contains: string
  /** The whole line. */
  readonly header: string
}

/** Records the first bytes and request heads of a wire's near side, and inserts headers into answers. */
export interface Tap {
  /** Passes bytes on, both ways. */
  listen(near: Socket, far: Socket): void
  /** Heads of HTTP/1.1 requests that hold a text, as they were sent. Keys are left out. */
  heads(contains: string): readonly string[]
  /** The first bytes of the latest connections, in order. */
  readonly beginnings: readonly Buffer[]
  insert(insertion: Insertion): void
}

/** How much is remembered (ours). */
const MAX_HEADS = 2_000
const MAX_BEGINNINGS = 50
const MAX_INSERTIONS = 50

const HEAD = /(?:GET|POST|HEAD|OPTIONS|PUT|DELETE|PATCH) \S+ HTTP\/1\.1\r\n[\s\S]*?\r\n\r\n/g
const ANSWER = /^HTTP\/1\.1 [^\r]*\r\n/

/** Taps one wire. */
export function createTap(): Tap {
  const heads: string[] = []
  const beginnings: Buffer[] = []
  const insertions: Insertion[] = []

  function listen(near: Socket, far: Socket): void {
    let isFirst = true
    let latest = ''
    near.on('data', (bytes) => {
      if (isFirst) remember(beginnings, bytes, MAX_BEGINNINGS)
      isFirst = false
      for (const [head] of bytes.toString('latin1').matchAll(HEAD)) {
        latest = head
        remember(heads, head.replace(/^authorization:.*\r\n/gim, ''), MAX_HEADS)
      }
      if (!far.write(bytes)) pauseUntilDrained(near, far)
    })
    far.on('data', (bytes) => {
      const lines = insertions.filter(({ contains }) => latest.includes(contains))
      if (!near.write(withHeaders(bytes, lines))) pauseUntilDrained(far, near)
    })
    near.on('end', () => far.end())
    far.on('end', () => near.end())
  }

  return {
    listen,
    heads: (contains) => heads.filter((head) => head.includes(contains)),
    beginnings,
    insert: (insertion) => remember(insertions, insertion, MAX_INSERTIONS),
  }
}

function withHeaders(bytes: Buffer, insertions: readonly Insertion[]): Buffer {
  const [start] = ANSWER.exec(bytes.subarray(0, 200).toString('latin1')) ?? []
  if (insertions.length === 0 || start === undefined) return bytes
  const lines = insertions.map(({ header }) => `${header}\r\n`).join('')
  return Buffer.concat([Buffer.from(start + lines, 'latin1'), bytes.subarray(start.length)])
}

function pauseUntilDrained(source: Socket, sink: Socket): void {
  source.pause()
  sink.once('drain', () => source.resume())
}

function remember<T>(list: T[], item: T, most: number): void {
  list.push(item)
  if (list.length > most) list.shift()
}
