import type { Duplex } from 'node:stream'

/** How long a peer has to take the last that it is told, before its connection is cut (ours). */
const LINGER_MS = 1_000

/**
 * Says the last on a connection that is not served any more, and sees to its end: Node's HTTP server has let go of the
 * socket of a tunnel, so that nobody else hears of its errors, reads it, or closes it.
 */
export function sayLast(socket: Duplex, words: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.on('error', () => {}).once('close', () => clearTimeout(timer))
  socket.end(words)
}
