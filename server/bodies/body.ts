import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { holdSocket } from '#base/hold-socket.ts'
import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import type { BodyLease } from './body-memory.ts'
import { Pace } from './pace.ts'

/** Chunks that are kept apart: one of a single byte holds on to all that was read from the socket with it (ours). */
const MAX_CHUNKS = 1_024

/** What reading a body needs. */
export interface BodyOptions {
  readonly maxBytes: number
  readonly lease: BodyLease
  /** Looks at each piece; the error that it gives ends the reading. */
  readonly inspect?: (piece: Buffer) => ApiError | undefined
  /** Over which the lowest rate is measured. */
  readonly windowMs?: number
  readonly memoryWaitMs?: number
}

/** Reads a body, in one piece; see `readPieces`. */
export async function readBody(incoming: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  return joined(await readPieces(incoming, options))
}

/** The pieces of a body in one. */
export function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/**
 * Reads a body in the pieces in which it comes; memory is taken as bytes arrive, whatever length is announced. Throws 413 `request_too_large`, 503
 * `overloaded` without memory, 408 `request_timeout` for one that comes too slowly, what `inspect` gives, and
 * `ClientGone` when the client has left.
 */
export async function readPieces(incoming: IncomingMessage, options: BodyOptions): Promise<Buffer[]> {
  const { maxBytes, lease, inspect } = options
  const { windowMs = limits.bodyRateWindowMs, memoryWaitMs = limits.bodyMemoryWaitMs } = options
  const declared = declaredLength(incoming)
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes)
  if (declared !== undefined && declared <= limits.keyFirstBodyBytes) {
    // What came in one read with its head is parsed by the end of this step.
    await undefined
    if (incoming.complete && !incoming.destroyed) {
      // All of it is here: waiting for its pieces one by one would cost more than looking at them.
      const bytes: Buffer | null = incoming.read()
      if (bytes === null) return []
      if (!lease.takeAtOnce(bytes.length)) await lease.take(bytes.length, memoryWaitMs)
      const flaw = inspect?.(bytes)
      if (flaw) throw flaw
      return [bytes]
    }
  }
  const pieces: Buffer[] = []
  let chunks: Buffer[] = []
  let length = 0
  const pace = new Pace(windowMs)
  const { socket } = incoming
  for await (const chunk of chunksOf(incoming, pace)) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    // No more of it is read before others have had their turn, nor while it waits.
    const readOn = incoming.complete ? undefined : holdSocket(socket)
    try {
      if (await lease.take(chunk.length, memoryWaitMs)) pace.forgive()
      if (readOn !== undefined) await nextTurn()
    } finally {
      readOn?.()
    }
    // Not before its turn: looking at it takes the time of all.
    const flaw = inspect?.(chunk)
    if (flaw) throw flaw
    chunks.push(chunk)
    if (chunks.length < MAX_CHUNKS) continue
    pieces.push(Buffer.concat(chunks))
    chunks = []
  }
  return [...pieces, ...chunks]
}

/** The client left before its request was complete: nothing was accepted, nobody is to be answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  constructor(options?: ErrorOptions) {
    super('The client has left before its request was complete.', options)
  }
}

/** The body's length as its header gives it; undefined when it comes in chunks. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** The pieces of a body. The request stays readable for its answer. */
async function* chunksOf(incoming: IncomingMessage, pace: Pace): AsyncGenerator<Buffer> {
  const pieces = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let isLate = false
  try {
    for (;;) {
      const next = pieces.next()
      const piece = await pace.wait(next)
      if (piece === undefined) {
        // It goes on waiting, and fails when the connection is closed.
        next.catch(() => {})
        isLate = true
        throw tooSlow()
      }
      if (piece.done) break
      pace.heard(piece.value.length)
      yield piece.value
    }
  } catch (error) {
    throw incoming.destroyed && !(error instanceof ApiError) ? new ClientGone({ cause: error }) : error
  } finally {
    // It goes on listening otherwise, and what is thrown away would never flow. A piece that is late keeps it waiting.
    if (!isLate) await pieces.return?.()
  }
  if (!incoming.complete) throw new ClientGone()
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('request_too_large', `The request body is larger than ${maxBytes} bytes.`)
}

function tooSlow(): ApiError {
  const message = `The request body came more slowly than ${limits.minBodyBytesPerSecond} bytes a second. Try again.`
  return new ApiError('request_timeout', message, { headers: { Connection: 'close' } })
}
