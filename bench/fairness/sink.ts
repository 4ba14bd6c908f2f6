import { createServer, type Socket } from 'node:net'

/** How fast a sink takes what it is sent: as fast as the router did. */
export interface SinkRates {
  readonly bytesPerSecond: number
  readonly answersPerSecond: number
}

const TICK_MS = 10
const MS_PER_SECOND = 1_000
const REFUSAL = 'HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n'

/**
 * Stands in for the router while the payer is alone: it takes as many bytes and gives as many answers, so that the
 * aggressor's own work, and the machine's, are the same on both sides of the comparison.
 */
let rates: SinkRates = { bytesPerSecond: 0, answersPerSecond: 0 }
let bytes = 0
let answers = 0
/** Oldest first. */
const unanswered = new Set<Socket>()
const paused = new Set<Socket>()

const server = createServer((socket) => {
  unanswered.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => {
    unanswered.delete(socket)
    paused.delete(socket)
  })
  socket.on('data', (piece) => {
    bytes -= piece.length
    if (bytes > 0) return
    socket.pause()
    paused.add(socket)
  })
})

setInterval(() => {
  const part = TICK_MS / MS_PER_SECOND
  bytes = Math.min(bytes + rates.bytesPerSecond * part, rates.bytesPerSecond * part)
  answers = Math.min(answers + rates.answersPerSecond * part, rates.answersPerSecond)
  for (const socket of unanswered) {
    if (answers < 1) break
    answers--
    unanswered.delete(socket)
    socket.write(REFUSAL)
  }
  if (bytes <= 0) return
  for (const socket of paused) socket.resume()
  paused.clear()
}, TICK_MS)

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.(address?.port)
})
process.on('message', (told: SinkRates) => {
  rates = told
})
process.once('disconnect', () => process.exit())
