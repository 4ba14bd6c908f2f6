import type { Buckets } from '../statistics/histogram.ts'

/** Where requests go. */
export interface Target {
  /** Of the whole path, such as `http://127.0.0.1:1234/v1/chat/completions`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  /** PEM of what signs the certificate, and the name in it; for `https:` alone. */
  readonly tls?: { readonly ca: string; readonly hostname: string }
}

/** What a process of the load is to do until it is told to stop. */
export interface Order {
  readonly target: Target
  readonly body: string
  readonly clients: number
  /** Over how long the clients begin, so that what is paced comes evenly. */
  readonly withinMs: number
  /** Whether each request has a connection of its own. */
  readonly isChurn: boolean
}

/** What it is told: an order, to count from now on, to tell what it counted, and to end all it has under way. */
export type Command = { readonly start: Order } | 'count' | 'report' | 'stop'

/** What one process counted between `count` and `report`. */
export interface Report {
  readonly seconds: number
  /** Answers that ended, and those of them that were no 200. */
  readonly requests: number
  readonly failed: number
  /** Connections that ended before their answer. */
  readonly lost: number
  readonly chunks: number
  /** Requests that are under way and have had their first chunk. */
  readonly open: number
  /** Microseconds to the end of an answer, to its first byte, and from the model's write of a chunk to its read. */
  readonly latency: Buckets
  readonly firstByte: Buckets
  readonly chunkDelay: Buckets
  /** The first refusal, for people. */
  readonly complaint: string | undefined
}
