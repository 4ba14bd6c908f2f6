import type { Socket } from 'node:net'

/** What one socket of an aggressor does once it is connected; `head` ends after the key. */
export interface Attack {
  readonly name: string
  readonly write: (socket: Socket, head: string) => void
}

const MIB = 1_048_576
const PIECE_BYTES = 64 * 1_024
const names = Array.from({ length: 990_000 }, (_, index) => `"a${index}":0`).join(',')
const manyNames = Buffer.from(`{"model":"demo/tiny-chat",${names}}`)
const nestedNames = Buffer.from(`{"model":"demo/tiny-chat","n":2,"messages":[{${names}}]}`)
const padding = Buffer.alloc(PIECE_BYTES, 'x')

/** Sends a body piece by piece, as fast as it is taken: what the router does not read is not copied on its machine either. */
const whole = (body: Buffer) => (socket: Socket, head: string) => {
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
  const send = (at: number): void => {
    if (at < body.length) socket.write(body.subarray(at, at + PIECE_BYTES), () => send(at + PIECE_BYTES))
  }
  send(0)
}

/** Sends a piece every `everyMs`, until the socket closes. */
function drip(socket: Socket, piece: Buffer | string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** Kinds of bodies that have stalled other workspaces' requests. */
export const attacks: readonly Attack[] = [
  { name: 'bodies of 990,000 names', write: whole(manyNames) },
  { name: 'bodies of 990,000 names in one message', write: whole(nestedNames) },
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
      const fill = (left: number): void => {
        if (left > 0) socket.write(padding, () => fill(left - 1))
        else drip(socket, 'x', 1_000)
      }
      fill(500)
    },
  },
  {
    name: 'small bodies, a byte at a time',
    write(socket, head) {
      socket.write(`${head}Content-Length: 60000\r\n\r\n{"user":"`)
      drip(socket, 'x', 1_000)
    },
  },
]
