/**
 * Copies of pieces, in memory of their own. What is kept as long as a stream, which may be an hour, would otherwise keep the
 * piece of Node's pool that it was cut from: 64 KiB for the few bytes of several streams.
 */
export function inOwnMemory(pieces: readonly Buffer[]): readonly Buffer[] {
  const own = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  return pieces.map((piece) => {
    const from = at
    at += piece.copy(own, from)
    return own.subarray(from, at)
  })
}
