import type { Socket } from 'node:net'

/**
 * Reads nothing more of a connection until the function that it gives is called. Whoever reads a message resumes the
 * socket, and so does Node when it throws one away: a pause alone does not last.
 */
export function holdSocket(socket: Socket): () => void {
  const pause = (): void => {
    socket.pause()
    // A resumption that was under way reads on after a pause, which then changes nothing that anybody is told of: the
    // server stops reading when it hears of one.
    socket.emit('pause')
  }
  socket.on('resume', pause)
  pause()
  return () => void socket.off('resume', pause).resume()
}
