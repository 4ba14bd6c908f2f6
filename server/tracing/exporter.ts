import { Client } from 'undici'
import type { Log } from '../log.ts'
import { exportRequest, refusedSpans, type Source } from './otlp.ts'
import type { Span, TakeSpan } from './span.ts'
import type { TracesConfig } from './traces-config.ts'

/** What became of the spans, in numbers. */
export interface Exported {
  /** The collector has taken them. */
  sent: number
  /** The collector does not want them. */
  refused: number
  /** There was no room for them: the collector is away, or slower than they come. */
  crowdedOut: number
}

/** What an exporter needs from the world. */
export interface ExporterOptions {
  readonly config: Pick<TracesConfig, 'url' | 'authorization'>
  readonly source: Source
  readonly log: Log
  /** How long a collector may take over a batch, from the connection to the end of its answer, in milliseconds. */
  readonly answerMs?: number
}

/** Spans that may wait, and that are sent at a time; those of OpenTelemetry's own exporters. */
const MAX_WAITING = 2_048
const BATCH = 512

/** Milliseconds, ours: how long spans are gathered, how long a collector may take, and how long it is left alone. */
const GATHER_MS = 1_000
const ANSWER_MS = 10_000
const MAX_REST_MS = 30_000

/** Longest answer that is read (ours). */
const MAX_ANSWER_BYTES = 65_536

/** How long a router that stops waits for its last spans (ours). */
const STOP_MS = 1_000

/** What a collector says that will take the same spans later. */
const later = new Set([429, 502, 503, 504])

/** Sends spans to a collector, a batch at a time, and waits for it at the cost of nobody (OPS-23). */
export class Exporter {
  readonly exported: Exported = { sent: 0, refused: 0, crowdedOut: 0 }
  readonly #options: ExporterOptions
  readonly #client: Client
  readonly #path: string
  #waiting: Span[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #restMs = 0
  #isRefused = false
  #isStopped = false

  constructor(options: ExporterOptions) {
    const url = new URL(options.config.url)
    this.#options = options
    this.#path = url.pathname + url.search
    this.#client = new Client(url.origin, { connect: { timeout: ANSWER_MS } })
  }

  readonly take: TakeSpan = (span) => {
    if (this.#isStopped || this.#waiting.length >= MAX_WAITING) {
      this.exported.crowdedOut++
      return
    }
    this.#waiting.push(span)
    this.#wind()
  }

  /** Sends what waits, if that is done in time, and nothing from then on. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isStopped = true
    const limit = setTimeout(() => void this.#client.destroy(), STOP_MS)
    await this.#sending
    while (this.#waiting.length > 0 && this.#restMs === 0) await this.#send()
    clearTimeout(limit)
    this.exported.crowdedOut += this.#waiting.length
    await this.#client.destroy()
  }

  #wind(): void {
    if (this.#timer !== undefined || this.#sending !== undefined || this.#isStopped) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#sending = this.#send().finally(() => {
          this.#sending = undefined
          if (this.#waiting.length > 0) this.#wind()
        })
      },
      this.#restMs || (this.#waiting.length < BATCH ? GATHER_MS : 0),
    ).unref()
  }

  /** One batch; never rejects. One that the collector may take later stays where it is. */
  async #send(): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH)
    const answer = await this.#post(batch).catch((error: unknown) => ({ error }))
    if ('error' in answer || later.has(answer.status)) return this.#rest(answer)
    const { status, refused } = answer
    this.#waiting = this.#waiting.slice(batch.length)
    this.exported.sent += batch.length - refused
    this.exported.refused += refused
    if (refused > 0 && !this.#isRefused) this.#warn('the collector refuses spans', { status })
    this.#isRefused = refused > 0
    this.#restMs = 0
  }

  /** Status, and how many of the batch were not taken. A collector that sends a byte now and then has an end, too. */
  async #post(batch: readonly Span[]): Promise<{ readonly status: number; readonly refused: number }> {
    const { config, source, answerMs = ANSWER_MS } = this.#options
    const { authorization } = config
    const { statusCode, body } = await this.#client.request({
      method: 'POST',
      path: this.#path,
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify(exportRequest(batch, source)),
      signal: AbortSignal.timeout(answerMs),
    })
    const isTaken = statusCode >= 200 && statusCode < 300
    const said = await readShort(body)
    return { status: statusCode, refused: isTaken ? refusedSpans(said, batch.length) : batch.length }
  }

  /** Ever longer, and told of once. */
  #rest(said: { readonly status: number } | { readonly error: unknown }): void {
    if (this.#restMs === 0) this.#warn('the collector does not take spans now', said)
    this.#restMs = Math.min(MAX_REST_MS, this.#restMs === 0 ? GATHER_MS : this.#restMs * 2)
  }

  #warn(message: string, said: { readonly status?: number; readonly error?: unknown }): void {
    if (!this.#isStopped) this.#options.log.warn(message, said)
  }
}

/** A long answer says nothing that anybody here reads. */
async function readShort(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) return ''
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
