import type { ServerResponse } from 'node:http'

/**
 * Closes the connection of a client that takes nothing of its answer for so many milliseconds (`timers.stalledClientMs`).
 * Nothing is timed while the answer is still being made, and one that is read slowly goes on: the socket's own timer also
 * sees bytes that leave while a large write is under way. The reader of a generation is timed by the relay (STRM-22).
 */
export function dropStalled(response: ServerResponse, stalledMs: number): void {
  response.setTimeout(stalledMs).off('timeout', dropOne).on('timeout', dropOne)
}

function dropOne(this: ServerResponse): void {
  if (this.socket !== null && this.socket.writableLength > 0) this.destroy()
}
