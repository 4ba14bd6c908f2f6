import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

/** Refused bodies are read on and thrown away up to this many times the limit, so that the client sees its answer (ours). */
const DISCARD_FACTOR = 4

/** Bounds the memory that all request bodies together may take, first come, first served. */
export interface BodyMemory {
  /** Resolves once `bytes` are free. */
  reserve(bytes: number): Promise<BodyLease>
}

/** Memory that one body may take. */
export interface BodyLease {
  /** Gives back what the body turned out not to need. */
  keep(bytes: number): void
  /** Gives back the rest; again is harmless. */
  release(): void
}

/** Reads a body of at most `maxBytes`. Throws 413 `request_too_large`. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = declaredLength(incoming)
  if (declared !== undefined && declared > maxBytes) throw refuse(incoming, maxBytes)
  // It may have left while its key was looked up or memory was awaited; then no event would ever come.
  if (incoming.destroyed) throw new ClientGone()
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) {
        incoming.off('data', onData)
        reject(refuse(incoming, maxBytes))
      } else chunks.push(chunk)
    }
    incoming.on('data', onData)
    incoming.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)))
    incoming.once('error', reject)
    incoming.once('close', () => reject(new ClientGone()))
  })
}

/** The client left before its request was complete: nothing was accepted and nobody is there to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** The body's length as its header gives it; undefined when it comes in chunks. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** Creates the bound that all readers share. */
export function createBodyMemory(capacityBytes: number): BodyMemory {
  const waiting: { bytes: number; start: () => void }[] = []
  let free = capacityBytes

  function release(bytes: number): void {
    free += bytes
    while (waiting[0] !== undefined && waiting[0].bytes <= free) {
      free -= waiting[0].bytes
      waiting.shift()!.start()
    }
  }

  return {
    async reserve(wanted) {
      let held = Math.min(wanted, capacityBytes)
      if (waiting.length > 0 || held > free) {
        const bytes = held
        await new Promise<void>((start) => waiting.push({ bytes, start }))
      } else free -= held
      const keep = (bytes: number) => {
        const surplus = Math.max(0, held - bytes)
        held -= surplus
        release(surplus)
      }
      return { keep, release: () => keep(0) }
    },
  }
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
