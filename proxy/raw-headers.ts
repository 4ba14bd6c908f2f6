/**
 * Headers as they came, to be passed on as they are. They are asked for by name a dozen times for each message, in
 * whatever case a name is written: that is put into small letters once.
 */
export class RawHeaders {
  /** Names and values in turn, as Node's `rawHeaders` are. */
  readonly pairs: readonly string[]
  /** The names in small letters. */
  readonly names: readonly string[]

  constructor(pairs: readonly string[]) {
    this.pairs = pairs
    const names: string[] = []
    for (let at = 0; at < pairs.length; at += 2) names.push(pairs[at]!.toLowerCase())
    this.names = names
  }

  /** Those of an answer as undici's parser gives them. */
  static of(pieces: readonly Buffer[]): RawHeaders {
    return new RawHeaders(textsOf(pieces))
  }

  /** The value of a header, the first if it stands several times. */
  first(wanted: string): string | undefined {
    const place = this.names.indexOf(wanted)
    return place === -1 ? undefined : this.pairs[2 * place + 1]
  }

  /** All values of a header that may stand there several times. */
  all(wanted: string): string[] {
    const values: string[] = []
    for (let place = this.names.indexOf(wanted); place !== -1; place = this.names.indexOf(wanted, place + 1))
      values.push(this.pairs[2 * place + 1]!)
    return values
  }
}

/**
 * Pieces of one read are parts of one memory, one behind the other: it is made text once, and cut. To make each piece
 * text by itself takes Node three times as long.
 */
function textsOf(pieces: readonly Buffer[]): string[] {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (first === undefined || last === undefined) return []
  const { buffer, byteOffset: from } = first
  const to = last.byteOffset + last.length
  const isOne = pieces.every(
    (piece) => piece.buffer === buffer && piece.byteOffset >= from && piece.byteOffset + piece.length <= to,
  )
  if (!isOne) return pieces.map((piece) => piece.toString('latin1'))
  const text = Buffer.from(buffer, from, to - from).toString('latin1')
  return pieces.map(({ byteOffset, length }) => text.slice(byteOffset - from, byteOffset - from + length))
}
