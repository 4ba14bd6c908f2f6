import type { Socket } from 'node:net'

/** Whose key an aggressor sends: that of a workspace with credit, of one without a cent, or none that there is. */
export type Sender = 'customer' | 'broke' | 'stranger'

/** What one socket of an aggressor does once it is connected; `head` ends after the key. */
export interface Attack {
  readonly name: string
  readonly sender?: Sender
  readonly write: (socket: Socket, head: string) => void
}

const MIB = 1_048_576
const PIECE_BYTES = 64 * 1_024
const names = Array.from({ length: 990_000 }, (_, index) => `"a${index}":0`).join(',')
const padding = Buffer.alloc(PIECE_BYTES, 'x')

/** A body that is looked at to its end before it is refused, of about so many bytes. */
const judged = (bytes: number, unit: string): Buffer =>
  Buffer.from(
    `{"model":"demo/tiny-chat","n":2,"messages":[${`${unit},`.repeat((bytes - 64) / (unit.length + 1))}1]}`,
  )

/** Goes on piece by piece, as fast as they are taken: what the router does not read is not copied here either. */
function pour(socket: Socket, pieceAt: (index: number) => Buffer | undefined, index = 0): void {
  const piece = pieceAt(index)
  if (piece !== undefined && !socket.destroyed) socket.write(piece, () => pour(socket, pieceAt, index + 1))
}

/** Sends a body at once; the answer to it ends the connection. */
function whole(body: Buffer): Attack['write'] {
  return (socket, head) => {
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
    pour(socket, (index) => {
      const piece = body.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)
      return piece.length === 0 ? undefined : piece
    })
    socket.on('data', () => socket.destroy())
  }
}

/** Sends on whatever it is answered, for as long as the connection lasts. */
const endless: Attack['write'] = (socket, head) => {
  socket.write(`${head}Content-Length: ${32 * MIB}\r\n\r\n{"user":"`)
  pour(socket, () => padding)
  socket.resume()
}

/** Sends a piece every `everyMs`, until the socket closes. */
function drip(socket: Socket, piece: Buffer | string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs)
  socket.once('close', () => clearInterval(timer))
  socket.on('data', () => socket.destroy())
}

const onePiece = Buffer.from('1\r\nx\r\n'.repeat(PIECE_BYTES / 6))
const small = JSON.stringify({ model: 'demo/tiny-chat', n: 2, messages: [{ content: 'Hello' }] })

/** Kinds of bodies that have stalled other workspaces' requests, and others that might. */
export const attacks: readonly Attack[] = [
  {
    name: 'bodies of 990,000 names at the top',
    write: whole(Buffer.from(`{"model":"demo/tiny-chat",${names}}`)),
  },
  {
    name: 'bodies of 990,000 names in one message',
    write: whole(Buffer.from(`{"model":"demo/tiny-chat","n":2,"messages":[{${names}}]}`)),
  },
  { name: 'bodies of 32 MiB of text', write: whole(judged(32 * MIB, `"${'x'.repeat(8 * MIB - 4)}"`)) },
  { name: 'bodies of 1 MiB and a little of empty lists', write: whole(judged(MIB + 128, '[]')) },
  { name: 'bodies of 64 KiB of empty lists', write: whole(judged(PIECE_BYTES, '[]')) },
  {
    name: 'bodies of 32 MiB, as slowly as it goes',
    write(socket, head) {
      socket.write(`${head}Content-Length: ${32 * MIB - 1}\r\n\r\n{"user":"`)
      drip(socket, padding, 1_000)
    },
  },
  {
    name: 'bodies of 32 MiB but for their end, and then a byte at a time',
    write(socket, head) {
      socket.write(`${head}Content-Length: ${32 * MIB - 1}\r\n\r\n{"user":"`)
      pour(socket, (index) => (index < 500 ? padding : undefined))
      drip(socket, 'x', 1_000)
    },
  },
  {
    name: 'small bodies, a byte at a time',
    write(socket, head) {
      socket.write(`${head}Content-Length: 60000\r\n\r\n{"user":"`)
      drip(socket, 'x', 1_000)
    },
  },
  {
    name: 'bodies in pieces of one byte',
    write(socket, head) {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      pour(socket, () => onePiece)
      socket.on('data', () => socket.destroy())
    },
  },
  { name: 'bodies of a key without a cent, sent on after the 402', sender: 'broke', write: endless },
  { name: 'bodies of a stranger, sent on after the 401', sender: 'stranger', write: endless },
  {
    name: 'sixteen small requests ahead of their answers',
    write(socket, head) {
      socket.write(`${head}Content-Length: ${small.length}\r\n\r\n${small}`.repeat(16))
      socket.on('data', () => socket.destroy())
    },
  },
]
