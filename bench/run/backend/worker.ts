import { createServer, type Socket } from 'node:net'
import { nowMicros } from '../wire/clock.ts'
import { MessageReader } from '../wire/message-reader.ts'
import { scriptIn } from '../wire/prompts.ts'
import { streamChunk, streamEnd, streamHead, unstampedChunk, wholeAnswer } from './answers.ts'

/** The model that everything is measured against; several such processes share one port, and the kernel divides. */
const port = Number(process.argv[2])

const server = createServer({ noDelay: true }, (socket) => {
  let body = ''
  const reader = new MessageReader({
    onHead() {
      body = ''
    },
    onBody(piece) {
      body += piece.toString('latin1')
    },
    onEnd: () => answer(socket, body),
  })
  socket.on('data', (read) => reader.push(read))
  socket.on('error', () => {})
})

function answer(socket: Socket, body: string): void {
  const script = scriptIn(body)
  if (script === undefined) {
    socket.write(wholeAnswer)
    return
  }
  if (script.everyMs > 0) pace(socket, script.chunks, script.everyMs)
  else {
    socket.write(streamHead)
    // Each is a write of its own, as a model's are.
    for (let count = 0; count < script.chunks; count++) socket.write(unstampedChunk)
    socket.write(streamEnd)
  }
}

/** The first chunk at once, each other one after so long. */
function pace(socket: Socket, chunks: number, everyMs: number): void {
  let left = chunks
  socket.cork()
  socket.write(streamHead)
  next()
  socket.uncork()
  const timer = setInterval(next, everyMs)
  const leave = (): void => clearInterval(timer)
  socket.once('close', leave)

  function next(): void {
    if (left-- > 0) {
      socket.write(streamChunk(nowMicros()), 'latin1')
      return
    }
    clearInterval(timer)
    socket.off('close', leave)
    socket.write(streamEnd)
  }
}

server.listen({ port, host: '127.0.0.1', reusePort: true, backlog: 4_096 }, () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.(address?.port)
})
process.on('disconnect', () => process.exit())
// A signal to the whole group is for the one that started this: it still asks for what was counted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
