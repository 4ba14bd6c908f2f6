import { Worker } from 'node:worker_threads'
import { limits } from '#contract/limits'
import type { BodyReading, JudgedModels } from '../admission/reading.ts'
import type { JudgedModel } from '../admission/request.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Operation } from '../operation.ts'
import { createFairQueue } from './fair-queue.ts'
import { type ReadMessage, type ReadOrder, toReading } from './wire.ts'

/** A body that is to be read. */
export interface LargeBody {
  readonly operation: Operation
  /** As it came; nobody may touch them any more. */
  readonly pieces: readonly Buffer[]
  readonly models: JudgedModels
  /** Whose it is: the bodies of one wait behind each other. */
  readonly owner: string
  /** Asked when its turn comes: what to reject with when nobody waits for it any more. */
  readonly gone: () => Error | undefined
}

/** Why a large body was not read to its end. */
export const readFailures = ['busy', 'late', 'died'] as const

export type ReadFailure = (typeof readFailures)[number]

/** What an operator sees. */
export interface ReaderUsage {
  /** Bodies that wait for their turn. */
  readonly waiting: number
  readonly failed: Readonly<Record<ReadFailure, number>>
}

/** Reads large bodies aside from the event loop, which serves everybody. */
export interface Reader {
  /**
   * What `readFor` says of it. Rejects with 503 `overloaded` when its turn does not come in time, with what `gone`
   * gives, and with an `Error` when the thread dies of it or takes too long.
   */
  read(body: LargeBody): Promise<BodyReading>
  readonly usage: ReaderUsage
  /** Ends the thread; what still waits is rejected. */
  stop(): Promise<void>
}

/** What a reader needs from the world; tests pass a thread of their own, and shorter times. */
export interface ReaderOptions {
  readonly log: Log
  readonly startThread?: () => Worker
  readonly turnMs?: number
  readonly readMs?: number
  readonly idleMs?: number
}

interface Task extends LargeBody {
  readonly resolve: (reading: BodyReading) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** A thread that has nothing to do ends after this, and its memory returns (ours). */
const IDLE_MS = 30_000

/** What a body may take of a thread's heap, beside its bytes: some fields are read as text (ours). */
const HEAP_MB = 512

/** One thread, which is started when it is needed, and anew after it died: a body that it dies of is not read again. */
export function createReader(options: ReaderOptions): Reader {
  const { log, startThread = start, turnMs = limits.bodyTurnMs } = options
  const { readMs = limits.bodyReadMs, idleMs = IDLE_MS } = options
  const queue = createFairQueue<Task>()
  const failed = { busy: 0, late: 0, died: 0 }
  let thread: Worker | undefined
  /** The models that the thread has: told once, and not with each body. */
  let told: JudgedModels | undefined
  let current: Task | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function open(): Worker {
    const opened = startThread()
    opened.unref()
    opened.on('message', (message: ReadMessage) => answer(opened, message))
    opened.on('error', (error) => fail(opened, 'died', error))
    opened.on('exit', () => fail(opened, 'died', new Error('it has ended')))
    return opened
  }

  function next(): void {
    clearTimeout(timer)
    current = takeNext()
    if (current === undefined) {
      timer = setTimeout(end, idleMs).unref()
      return
    }
    try {
      thread ??= open()
      timer = setTimeout(() => fail(thread, 'late', new Error(`${readMs} ms have passed`)), readMs).unref()
      thread.postMessage(...orderOf(current, told))
      told = current.models
    } catch (error) {
      fail(thread, 'died', error)
    }
  }

  /** Nobody's turn is spent on a body that nobody waits for. */
  function takeNext(): Task | undefined {
    for (;;) {
      const task = queue.take()
      if (task === undefined) return undefined
      clearTimeout(task.timer)
      const gone = task.gone()
      if (gone === undefined) return task
      task.reject(gone)
    }
  }

  function answer(from: Worker, message: ReadMessage): void {
    // What comes after its time is no answer to the body that is being read now.
    if (from !== thread || current === undefined) return
    const { resolve, reject } = current
    if ('failure' in message) reject(new Error('a large body could not be read', { cause: message.failure }))
    else resolve(toReading(message))
    next()
  }

  function fail(from: Worker | undefined, why: ReadFailure, error: unknown): void {
    if (from !== thread) return
    end()
    if (current === undefined) return
    failed[why]++
    log.error('the thread that reads large bodies is started anew', { code: why, error })
    current.reject(new Error('a large body was not read to its end', { cause: error }))
    next()
  }

  function end(): void {
    const ended = thread
    thread = undefined
    told = undefined
    void ended?.terminate()
  }

  return {
    read(body) {
      if (isStopped) return Promise.reject(new Error('the reader of large bodies was stopped'))
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          queue.remove(body.owner, task)
          failed.busy++
          reject(body.gone() ?? overloaded())
        }
        const task: Task = { ...body, resolve, reject, timer: setTimeout(giveUp, turnMs) }
        queue.add(body.owner, task)
        if (current === undefined) next()
      })
    },
    get usage() {
      return { waiting: queue.size, failed }
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      const ended = thread
      thread = undefined
      const left = current === undefined ? [] : [current]
      for (let task = queue.take(); task !== undefined; task = queue.take()) left.push(task)
      for (const { reject, timer } of left) {
        clearTimeout(timer)
        reject(new Error('the reader of large bodies was stopped'))
      }
      await ended?.terminate()
    },
  }
}

function start(): Worker {
  return new Worker(new URL('./thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
}

/** Memory moves from thread to thread; a piece that is only a part of some is copied before. */
function orderOf(
  { operation, pieces, models }: LargeBody,
  told: JudgedModels | undefined,
): [ReadOrder, ArrayBuffer[]] {
  const own = pieces.map((piece) =>
    piece.buffer.byteLength === piece.length && piece.buffer instanceof ArrayBuffer
      ? new Uint8Array(piece.buffer)
      : new Uint8Array(piece),
  )
  const news = models === told ? {} : { models: [...models.values()].map(toJudged) }
  return [{ operation, pieces: own, ...news }, own.map(({ buffer }) => buffer)]
}

/** Nothing else of a model, such as its backends' keys, is of use there. */
function toJudged(model: JudgedModel): JudgedModel {
  const { id, capabilities, contextLength, templateTokens, maxOutputTokens, imageTokens, audioTokens } = model
  const { fallbacks } = model
  return {
    id,
    capabilities,
    contextLength,
    templateTokens,
    maxOutputTokens,
    ...(imageTokens !== undefined && { imageTokens }),
    ...(audioTokens !== undefined && { audioTokens }),
    ...(fallbacks !== undefined && { fallbacks }),
  }
}

function overloaded(): ApiError {
  const message = 'Other bodies are read before this one, for too long. Try again shortly.'
  return new ApiError('overloaded', message, { headers: { 'Retry-After': '1', 'x-should-retry': 'true' } })
}
