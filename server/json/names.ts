import { foldName } from './fold.ts'
import { byte } from './scan.ts'

/** What is read of a name that others could take for one that is known, and of one that is neither. */
export const AMBIGUOUS = -2
export const UNKNOWN = -1

/** Tells the place of a name, whose quotes stand here, among those that are known; or `AMBIGUOUS`, or `UNKNOWN`. */
export type ReadName = (bytes: Buffer, start: number, end: number) => number

/** Names with other than plain letters that are folded in one text; all further ones count as ambiguous (ours). */
const MAX_FOLDED = 1_000

const NONE: readonly number[] = []

/** Longer ones than this are not decoded to be told (ours). */
const MAX_BYTES = 4_096

/**
 * Reads the names of objects, where millions may stand: the usual ones are told by their bytes, and only what has
 * escapes or other scripts in it is decoded and folded. What it returns makes a reader for one text.
 */
export function nameReader(known: readonly string[]): () => ReadName {
  const byLength: (readonly number[])[] = []
  for (const [place, { length }] of known.entries()) byLength[length] = [...(byLength[length] ?? []), place]
  const spelled = known.map((name) => Buffer.from(name))

  return () => {
    let folded = 0
    return (bytes, start, end) => {
      const length = end - start - 2
      const candidates = byLength[length] ?? NONE
      for (const place of candidates) if (isSame(spelled[place]!, bytes, start + 1)) return place
      const kind = kindOf(bytes, start + 1, end - 1)
      if (kind === ODD)
        return length > MAX_BYTES || ++folded > MAX_FOLDED ? AMBIGUOUS : readOdd(bytes, start, end)
      if (kind === CASED) {
        for (const place of candidates) if (isSpelled(spelled[place]!, bytes, start + 1)) return AMBIGUOUS
      }
      return UNKNOWN
    }
  }

  function readOdd(bytes: Buffer, start: number, end: number): number {
    const name = JSON.parse(bytes.toString('utf8', start, end)) as string
    const place = known.indexOf(name)
    if (place >= 0) return place
    const fold = foldName(name)
    return fold !== undefined && known.includes(fold) ? AMBIGUOUS : UNKNOWN
  }
}

/** Folding leaves it as it is; its lower case is all that it folds to; only folding can tell. */
const PLAIN = 0
const CASED = 1
const ODD = 2

function kindOf(bytes: Buffer, from: number, to: number): number {
  let kind = PLAIN
  for (let at = from; at < to; at++) {
    const current = bytes[at]!
    if (current <= 0x20 || current >= 0x7f || current === byte.backslash) return ODD
    if (current >= 0x41 && current <= 0x5a) kind = CASED
  }
  return kind
}

function isSame(name: Buffer, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name[at]) return false
  return true
}

/** Whether these bytes, in lower case, are the name; both have one length. */
function isSpelled(name: Buffer, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < name.length; at++) {
    const current = bytes[from + at]!
    const lower = current >= 0x41 && current <= 0x5a ? current + 0x20 : current
    if (lower !== name[at]) return false
  }
  return true
}
