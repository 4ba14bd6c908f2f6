import { broken, byte, skipSpace } from './scan.ts'

/** What a visitor gives to end a walk, and what the walk gives then. */
export const STOP = -1

/** Is told of one element, and gives where it ends, or `STOP`; `skipValue` does for those that do not matter. */
export type VisitElement = (at: number) => number

/** Goes once over the list whose bracket stands at `from`, and gives one past its end. The bytes are well-formed. */
export function eachElement(bytes: Buffer, from: number, visit: VisitElement): number {
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === byte.closeBracket) return at + 1
  for (;;) {
    const end = visit(at)
    if (end === STOP) return STOP
    at = skipSpace(bytes, end)
    if (bytes[at] === byte.closeBracket) return at + 1
    if (bytes[at] !== byte.comma) throw broken(at)
    at = skipSpace(bytes, at + 1)
  }
}
