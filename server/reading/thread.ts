import { parentPort } from 'node:worker_threads'
import { type JudgedModels, readFor } from '../admission/reading.ts'
import { type ReadMessage, type ReadOrder, toMessage } from './wire.ts'

let judged: JudgedModels = new Map()

/** The thread that reads large bodies, one after the other: see `createReader`. */
parentPort!.on('message', ({ operation, pieces, models }: ReadOrder) => {
  if (models) judged = new Map(models.map((model) => [model.id, model]))
  try {
    const [message, memory] = toMessage(readFor(operation, join(pieces), judged))
    parentPort!.postMessage(message, memory)
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    parentPort!.postMessage({ failure } satisfies ReadMessage)
  }
})

/** One piece in place of many. The memory of each is given back as soon as it is copied, so that none is taken twice. */
function join(pieces: readonly Uint8Array<ArrayBuffer>[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = Buffer.from(new ArrayBuffer(length))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
    piece.buffer.transfer(0)
  }
  return bytes
}
