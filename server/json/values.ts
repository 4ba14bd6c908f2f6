import { byte, skipString } from './scan.ts'

/**
 * Whether JSON text has more than `limit` values, told without building any: a body of `{},{},…` takes twenty times
 * its bytes once it is parsed. Commas and opening brackets stand for the values.
 */
export function hasMoreValues(bytes: Buffer, limit: number): boolean {
  // Each of them takes a byte.
  if (bytes.length <= limit) return false
  try {
    return countUpTo(limit + 1, bytes) > limit
  } catch {
    // A string without an end: the parser gets no further than that either.
    return false
  }
}

function countUpTo(most: number, bytes: Buffer): number {
  let count = 0
  let at = 0
  while (at < bytes.length && count < most) {
    const current = bytes[at]!
    if (isCounted(current)) count++
    at = current === byte.quote ? skipString(bytes, at) : at + 1
  }
  return count
}

function isCounted(current: number): boolean {
  return current === byte.comma || current === byte.openBrace || current === byte.openBracket
}
