import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** One request as it was received; `GET /requests` lists them in the order of their arrival. */
export interface Received {
  readonly sequence: number
  readonly receivedAt: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Names and values one after the other, spelled as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: string
  /** Of the bytes as they came, in hex. */
  readonly bodySha256: string
  readonly bodyBytes: number
  /** Which connection it came on, counted from 1. */
  readonly connection: number
  /** The name, marker or model of the rule that answered; null for the friendly default. */
  rule: string | null
  outcome: 'running' | 'answered' | 'broken' | 'client-left'
  /** Deltas of the answer that have left. */
  chunksSent: number
  endedAt: string | null
}

/** Keeps what was received, within bounds. */
export interface Journal {
  record(message: IncomingMessage, body: Buffer, connection: number): Received
  end(entry: Received, outcome: Received['outcome']): void
  list(marker?: string): readonly Received[]
  clear(): void
  readonly running: number
}

// Ours: the oldest go first; enough for a long test, too little to fill the memory.
const MAX_ENTRIES = 10_000
const MAX_BYTES = 256 * 1024 * 1024

/** Makes an empty journal; the time comes from outside. */
export function createJournal(now: () => Date): Journal {
  let entries: Received[] = []
  let bytes = 0
  let sequence = 0
  let running = 0

  function record(message: IncomingMessage, body: Buffer, connection: number): Received {
    sequence += 1
    running += 1
    const entry: Received = {
      sequence,
      receivedAt: now().toISOString(),
      method: message.method ?? '',
      path: message.url ?? '',
      headers: message.headers,
      rawHeaders: message.rawHeaders,
      body: body.toString('utf8'),
      bodySha256: createHash('sha256').update(body).digest('hex'),
      bodyBytes: body.length,
      connection,
      rule: null,
      outcome: 'running',
      chunksSent: 0,
      endedAt: null,
    }
    entries.push(entry)
    bytes += entry.bodyBytes
    while (entries.length > 1 && (entries.length > MAX_ENTRIES || bytes > MAX_BYTES)) {
      bytes -= entries.shift()?.bodyBytes ?? 0
    }
    return entry
  }

  function end(entry: Received, outcome: Received['outcome']): void {
    if (entry.outcome !== 'running') return
    entry.outcome = outcome
    entry.endedAt = now().toISOString()
    running -= 1
  }

  function list(marker = ''): readonly Received[] {
    return entries.filter(({ body }) => body.includes(marker))
  }

  function clear(): void {
    entries = []
    bytes = 0
  }

  return {
    record,
    end,
    list,
    clear,
    get running() {
      return running
    },
  }
}
