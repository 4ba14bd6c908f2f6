import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import type { BodyLease } from './body-memory.ts'

/** Refused bodies are read on and thrown away up to this many times the limit, so that the client sees its answer (ours). */
const DISCARD_FACTOR = 4

/** Longest gap between two pieces of a body, and longest wait for memory (ours). */
const IDLE_MS = 30_000
const MEMORY_WAIT_MS = 10_000

/** Chunks that are kept apart: one of a single byte holds on to all that was read from the socket with it (ours). */
const MAX_CHUNKS = 1_024

/** What reading a body needs. */
export interface BodyOptions {
  readonly maxBytes: number
  readonly lease: BodyLease
  readonly idleMs?: number
  readonly memoryWaitMs?: number
}

/**
 * Reads a body. Memory is taken as bytes arrive, so that announcing much costs nobody anything. Throws 413
 * `request_too_large`; `ClientGone` for a body that stops coming, whose connection is closed.
 */
export async function readBody(incoming: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { maxBytes, lease, idleMs = IDLE_MS, memoryWaitMs = MEMORY_WAIT_MS } = options
  const declared = declaredLength(incoming)
  if (declared !== undefined && declared > maxBytes) throw refuse(incoming, maxBytes)
  const joined: Buffer[] = []
  let chunks: Buffer[] = []
  let length = 0
  for await (const chunk of chunksOf(incoming, idleMs)) {
    length += chunk.length
    if (length > maxBytes) throw refuse(incoming, maxBytes)
    await lease.take(chunk.length, memoryWaitMs)
    chunks.push(chunk)
    if (chunks.length < MAX_CHUNKS) continue
    joined.push(Buffer.concat(chunks))
    chunks = []
  }
  const pieces = [...joined, ...chunks]
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length)
}

/** The client left, or fell silent, before its request was complete: nothing was accepted, nobody is to be answered. */
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

/** The pieces of a body; ends the wait for one that does not come. The request stays readable for its answer. */
async function* chunksOf(incoming: IncomingMessage, idleMs: number): AsyncGenerator<Buffer> {
  const pieces = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let timer: NodeJS.Timeout | undefined
  let isLate = false
  const onLate = (): void => {
    isLate = true
    incoming.destroy()
  }
  try {
    for (;;) {
      timer = setTimeout(onLate, idleMs)
      const piece = await pieces.next()
      clearTimeout(timer)
      if (piece.done) break
      yield piece.value
    }
  } catch (error) {
    throw isLate || incoming.destroyed ? new ClientGone({ cause: error }) : error
  } finally {
    clearTimeout(timer)
  }
  if (!incoming.complete) throw new ClientGone()
}

function refuse(incoming: IncomingMessage, maxBytes: number): ApiError {
  let discarded = 0
  incoming.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > DISCARD_FACTOR * maxBytes) incoming.destroy()
  })
  incoming.on('error', () => {})
  return new ApiError('request_too_large', `The request body is larger than ${maxBytes} bytes.`)
}
