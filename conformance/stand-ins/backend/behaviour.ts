/** How one answer of the scripted backend looks; what is left out is answered as a friendly small model would. */
export interface Behaviour {
  /** 200 by default; from 400 on the answer is `error`. */
  readonly status?: number
  /** The error body of a status from 400 on, and the in-band error of the fault `error`. */
  readonly error?: unknown
  /** Sent besides the usual headers, or in their place. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is in place of every answer, such as an HTML page. */
  readonly body?: string
  /** The same in base64, for bytes that are no text. */
  readonly bytes?: string
  /** Sends a 103 before the answer. */
  readonly hints?: boolean
  /** Tells no length of a body that is not streamed: it ends where the connection does. */
  readonly untilClose?: boolean
  /** Answers as a stream, or not, whatever was asked. */
  readonly stream?: boolean
  /** The deltas of the text, or how many of them to make up. */
  readonly chunks?: readonly string[] | number
  /** `reasoning_content` deltas that come before the text, or how many of them to make up. */
  readonly reasoning?: readonly string[] | number
  readonly toolCalls?: readonly ToolCall[]
  readonly finishReason?: string
  /** Merged into every chunk and every JSON body. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Goes on past the client's `max_tokens`. */
  readonly ignoreMaxTokens?: boolean
  /** Sent whether it was asked for or not; without it usage follows `stream_options`. */
  readonly usage?: UsageShape
  readonly promptTokens?: number
  readonly completionTokens?: number
  /** Interim answers that come before the answer itself, by their statuses: 100, 102, 103. */
  readonly interim?: readonly number[]
  readonly beforeHeadersMs?: number
  /** Of a stream, and of a body that is written out: its head is sent before. */
  readonly beforeFirstChunkMs?: number
  readonly betweenChunksMs?: number
  readonly wire?: Wire
  readonly fault?: Fault
  /** Reads bodies as a server in Go does: names are folded, and the last one wins. */
  readonly reads?: 'go'
  /** Destroys the socket after the whole answer, without saying so in a header. */
  readonly closeAfter?: boolean
}

/** One tool call; its arguments come in one delta or in several. */
export interface ToolCall {
  readonly id?: string
  readonly name: string
  readonly arguments: string | readonly string[]
}

/** Where and how token counts appear in a stream. */
export const usageShapes = [
  'final', // A last chunk with empty `choices`.
  'with-choices', // The same, its `choices` not empty.
  'merged', // In the chunk that carries the finish reason.
  'first', // In the first chunk only.
  'every', // Growing, in every chunk, and in a last one.
  'late', // As `final`, a third of a second after the rest.
  'separate-write', // As `final`, written some time after the rest, `[DONE]` once more later.
  'null-until-end', // `usage: null` in every chunk before the last one.
  'zero', // A last chunk that counts nothing.
  'none', // Never.
  'malformed', // A last chunk whose usage is no object of counts.
] as const

export type UsageShape = (typeof usageShapes)[number]

/** How the same events are put into bytes: all of it legal. */
export interface Wire {
  readonly lineEnd?: 'lf' | 'crlf' | 'cr'
  /** Begins the stream with a byte order mark. */
  readonly bom?: boolean
  /** Puts a comment line before each event. */
  readonly comments?: boolean
  /** `data:{…}` instead of `data: {…}`. */
  readonly noSpace?: boolean
  /** Spreads each event over several `data:` lines. */
  readonly multiLine?: boolean
  /** Puts `id` and `model` last in each object. */
  readonly idLast?: boolean
  /** Gives each chunk of a stream an id of its own. */
  readonly idPerChunk?: boolean
  /** Writes no more than this many bytes at a time; 1 is byte by byte. */
  readonly bytesPerWrite?: number
  /** Writes this many events at once. */
  readonly eventsPerWrite?: number
}

/**
 * What goes wrong. `afterChunks` counts deltas of the answer; 0 is after the headers, before any event.
 * In a JSON answer every fault with `afterChunks` happens in the middle of the body.
 */
export type Fault =
  /** The socket is destroyed before a byte of the answer. */
  | { readonly kind: 'refuse' }
  /** Nothing is ever answered. */
  | { readonly kind: 'silence' }
  /** The socket is destroyed; with `half`, in the middle of the event that comes next. */
  | {
      readonly kind: 'cut'
      readonly afterChunks: number
      readonly reset?: boolean
      readonly half?: boolean
    }
  /** The answer ends properly, without `[DONE]`. */
  | { readonly kind: 'eof'; readonly afterChunks: number }
  /** Nothing more comes, the socket stays open. */
  | { readonly kind: 'stall'; readonly afterChunks: number }
  /** An event with an `error` object, then `[DONE]` unless `done` is false. */
  | { readonly kind: 'error'; readonly afterChunks: number; readonly done?: boolean }
  /** An event that is not JSON (`data`), then the rest. */
  | { readonly kind: 'malformed'; readonly afterChunks: number; readonly data?: string }
  /** An event of this many bytes, then the rest. */
  | { readonly kind: 'oversize'; readonly afterChunks: number; readonly bytes: number }
