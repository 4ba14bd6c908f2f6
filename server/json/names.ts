import { foldName } from './fold.ts'
import { byte } from './scan.ts'

/** What a reader makes of a member's name: one that it knows, one that others could take for it, or neither. */
export type Read = { readonly known: string } | 'ambiguous' | undefined

/** Reads names out of JSON text. */
export type ReadName = (bytes: Buffer, start: number, end: number) => Read

/** Names with other than plain letters that are folded in one text; all further ones count as ambiguous (ours). */
const MAX_FOLDED = 1_000

/** Longer ones than this are not decoded to be told (ours). */
const MAX_BYTES = 4_096

/**
 * Reads the names of one text's objects, where millions may stand: the usual ones are told by their bytes, and only
 * what has capitals, escapes or other scripts in it is folded.
 */
export function nameReader(known: readonly string[]): ReadName {
  const reads = new Map(known.map((name) => [name, { known: name }]))
  const lengths = new Set(known.map(({ length }) => length))
  let folded = 0
  return (bytes, start, end) => {
    const length = end - start - 2
    const kind = kindOf(bytes, start + 1, end - 1)
    if (kind !== 'odd') {
      if (!lengths.has(length)) return undefined
      const name = bytes.toString('latin1', start + 1, end - 1)
      if (kind === 'plain') return reads.get(name)
      return reads.has(name.toLowerCase()) ? 'ambiguous' : undefined
    }
    if (length > MAX_BYTES || ++folded > MAX_FOLDED) return 'ambiguous'
    const name = JSON.parse(bytes.toString('utf8', start, end)) as string
    const read = reads.get(name)
    if (read) return read
    const fold = foldName(name)
    return fold !== undefined && reads.has(fold) ? 'ambiguous' : undefined
  }
}

/** `plain`: folding leaves it as it is; `cased`: its lower case is all that it folds to. */
function kindOf(bytes: Buffer, from: number, to: number): 'plain' | 'cased' | 'odd' {
  let kind: 'plain' | 'cased' = 'plain'
  for (let at = from; at < to; at++) {
    const current = bytes[at]!
    if (current <= 0x20 || current >= 0x7f || current === byte.backslash) return 'odd'
    if (current >= 0x41 && current <= 0x5a) kind = 'cased'
  }
  return kind
}
