const DIGITS = 16
const STAMP = /t=(\d{16});/g

/** A chunk's words: when the model wrote it, by `nowMicros`; 0 where nobody wants to know. */
export function stamp(micros: number): string {
  return `t=${String(micros).padStart(DIGITS, '0')};`
}

/** Finds the stamps in a stream, wherever its reads are cut. */
export class StampReader {
  #rest = ''

  /** The stamps that became whole with this piece, in their order. */
  read(piece: Buffer): number[] {
    const text = this.#rest + piece.toString('latin1')
    const found: number[] = []
    let end = 0
    for (const match of text.matchAll(STAMP)) {
      found.push(Number(match[1]))
      end = match.index + match[0].length
    }
    // One character less than a stamp can be the beginning of one.
    this.#rest = text.slice(Math.max(end, text.length - DIGITS - 2))
    return found
  }
}
