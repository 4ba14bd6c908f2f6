import { findMember } from '../../json/members.ts'
import type { Usage } from '../../metering/generation.ts'
import type { Operation } from '../../operation.ts'
import { countCompletionTokens } from '../count.ts'
import type { ReportedUsage } from '../usage.ts'
import { type Chunk, chunkEdits, eventOf, oneLine, parseChunk, templateOf } from './chunk.ts'
import { EventSplitter } from './events.ts'
import type { StreamFault } from './faults.ts'
import { runTemplate, type Template } from './template.ts'

/** What a rewriter is told about the stream. */
export interface RewriterOptions {
  /** The generation's id, which every chunk carries. */
  readonly id: string
  /** The router's model id. */
  readonly model: string
  readonly operation: Operation
  /** A client that asked for usage sees `usage: null` on the chunks before it, if the backend sends it so. */
  readonly includeUsage: boolean
  readonly maxEventBytes: number
  /** False keeps to the slow path; the two are compared in tests. */
  readonly learns?: boolean
}

const DONE = '[DONE]'
const NOTHING = Buffer.alloc(0)

/** Streams whose events differ in more than one string would learn in vain at each. */
const MAX_USELESS_TEMPLATES = 8

/** Choices whose ends are kept in mind; a stream of more is never taken for finished before its `[DONE]` (ours). */
const MAX_CHOICES = 1_024

/** Turns a backend's stream into the client's, read by read, and meters it on the way (STRM-05, MET-05). */
export class StreamRewriter {
  /** Delivered deltas that carried text, reasoning or a tool call. */
  deltas = 0
  /** UTF-8 bytes of that text. */
  textBytes = 0
  /** The backend's last valid usage. */
  reported: ReportedUsage | undefined
  /** Whether text came after that usage, so that it does not speak of the whole. */
  isUsageStale = false
  finishReason: string | null = null
  /** The chunks' `created`, once one has named it. */
  created: number | undefined
  /** Whether `[DONE]` was read. What follows it is never looked at. */
  isDone = false
  fault: StreamFault | undefined
  readonly #options: RewriterOptions
  readonly #changes: Readonly<Record<string, string>>
  readonly #splitter: EventSplitter
  #template: Template | undefined
  #uselessTemplates = 0
  /** Choices by their index, and whether they have ended. */
  readonly #choices = new Map<number, boolean>()

  constructor(options: RewriterOptions) {
    this.#options = options
    this.#changes = { id: JSON.stringify(options.id), model: JSON.stringify(options.model) }
    this.#splitter = new EventSplitter(options.maxEventBytes)
  }

  /** The router's own count of what was delivered. */
  get tokens(): number {
    return countCompletionTokens(this.deltas, this.textBytes)
  }

  /** Whether each choice that has shown itself has said why it ended: no text is to come. */
  get isFinished(): boolean {
    return (
      this.#choices.size > 0 &&
      this.#choices.size < MAX_CHOICES &&
      [...this.#choices.values()].every((isFinished) => isFinished)
    )
  }

  /** Whether nothing can follow: the stream is done or cannot be read on. */
  get isOver(): boolean {
    return this.isDone || this.fault !== undefined
  }

  /** Takes one read of the backend; returns what goes to the client, which may be nothing. */
  read(bytes: Buffer): Buffer {
    const pieces: Buffer[] = []
    let at = 0
    while (at < bytes.length && !this.isOver) {
      at = this.#runFast(bytes, at, pieces)
      if (at === bytes.length) break
      at = this.#splitter.next(bytes, at)
      const { data, oversize } = this.#splitter
      if (oversize) this.fault = { kind: 'oversize' }
      else if (data !== undefined) this.#takeEvent(data, bytes, at, pieces)
    }
    return pieces.length === 1 ? pieces[0]! : pieces.length === 0 ? NOTHING : Buffer.concat(pieces)
  }

  /** The stream ended; a `[DONE]` that only lacks its empty line is one. */
  end(): void {
    if (!this.isOver && this.#splitter.rest()?.toString() === DONE) this.isDone = true
  }

  #runFast(bytes: Buffer, at: number, pieces: Buffer[]): number {
    if (this.#template === undefined || !this.#splitter.idle) return at
    const run = runTemplate(this.#template, bytes, at, this.#options.maxEventBytes)
    if (run === undefined) return at
    pieces.push(run.bytes)
    this.#uselessTemplates = 0
    if (run.tokens > 0) this.#count(run.tokens, run.textBytes)
    return run.end
  }

  #takeEvent(data: Buffer, bytes: Buffer, end: number, pieces: Buffer[]): void {
    if (data.length === DONE.length && data.toString() === DONE) {
      this.isDone = true
      return
    }
    const chunk = parseChunk(data, this.#options.operation)
    if ('kind' in chunk) {
      this.fault = chunk
      return
    }
    this.#meter(chunk, data)
    if (chunk.hasUsage && chunk.choices.length === 0) return
    const edits = chunkEdits(chunk, this.#changes, this.#options.includeUsage)
    pieces.push(eventOf(data, edits))
    const { start } = this.#splitter
    if (start >= 0 && this.#mayLearn()) {
      const template = templateOf(bytes.subarray(start, end), data, chunk, edits)
      if (template === undefined) return
      this.#template = template
      this.#uselessTemplates++
    }
  }

  #mayLearn(): boolean {
    return this.#options.learns !== false && this.#uselessTemplates < MAX_USELESS_TEMPLATES
  }

  #meter(chunk: Chunk, data: Buffer): void {
    if (chunk.tokens > 0) this.#count(chunk.tokens, chunk.textBytes)
    for (const [index, isFinished] of chunk.choiceEnds) {
      if (this.#choices.size < MAX_CHOICES) this.#choices.set(index, isFinished)
    }
    if (chunk.finishReason !== undefined) this.finishReason = chunk.finishReason
    if (this.created === undefined && Number.isSafeInteger(chunk.value.created)) {
      this.created = chunk.value.created as number
    }
    if (chunk.usage !== undefined) this.#takeUsage(chunk, chunk.usage, data)
  }

  #count(deltas: number, textBytes: number): void {
    this.deltas += deltas
    this.textBytes += textBytes
    this.isUsageStale = true
  }

  #takeUsage(chunk: Chunk, usage: Usage, data: Buffer): void {
    const { valueStart, end } = findMember(chunk.object, 'usage')!
    this.reported = { usage, bytes: oneLine(Buffer.from(data.subarray(valueStart, end))) }
    this.isUsageStale = false
  }
}
