import { broken, byte, SPACES } from './scan.ts'

/** What a visitor gives to end a walk, and what the walk gives then. */
export const STOP = -1

/** Called with the offset of each element; returns one past its end, as `skipValue` does, or `STOP`. */
export type VisitElement = (at: number) => number

/** Goes once over the list whose bracket stands at `from`, and gives one past its end. The bytes are well-formed. */
export function eachElement(bytes: Buffer, from: number, visit: VisitElement): number {
  let at = nextElement(bytes, from + 1)
  while (bytes[at] !== byte.closeBracket) {
    const end = visit(at)
    if (end === STOP) return STOP
    at = nextElement(bytes, end)
  }
  return at + 1
}

/** Where the next element of a list begins, or its closing bracket stands. */
export function nextElement(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isBetween[bytes[at]!] === 1) at++
  if (at === bytes.length) throw broken(at)
  return at
}

const isBetween = new Uint8Array(256)
for (const between of [byte.comma, ...SPACES]) isBetween[between] = 1
