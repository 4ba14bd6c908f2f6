import { broken, byte, skipSpace, skipString } from './scan.ts'

/** What a visitor gives to end a walk, and what the walk gives then. */
export const STOP = -1

/** Is told of one element, and gives where it ends, or `STOP`; `skipValue` does for those that do not matter. */
export type VisitElement = (at: number) => number

/** Is told of one member by the places of its name's quotes and of its value, and gives where the value ends, or `STOP`. */
export type VisitMember = (nameStart: number, nameEnd: number, at: number) => number

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

/** Goes once over the object whose brace stands at `from`, and gives one past its end. The bytes are well-formed. */
export function eachMember(bytes: Buffer, from: number, visit: VisitMember): number {
  let at = skipSpace(bytes, from + 1)
  if (bytes[at] === byte.closeBrace) return at + 1
  for (;;) {
    const nameEnd = skipString(bytes, at)
    const colon = skipSpace(bytes, nameEnd)
    if (bytes[colon] !== byte.colon) throw broken(colon)
    const end = visit(at, nameEnd, skipSpace(bytes, colon + 1))
    if (end === STOP) return STOP
    at = skipSpace(bytes, end)
    if (bytes[at] === byte.closeBrace) return at + 1
    if (bytes[at] !== byte.comma) throw broken(at)
    at = skipSpace(bytes, at + 1)
  }
}
