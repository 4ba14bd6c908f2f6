/** What no reader needs to see of a name: controls, format characters and whatever is not shown at all. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Every code point that is left gives a character at least, and takes two at most. */
const MOST_UNITS_FOR_ONE = 2

/** Long enough for every name that anybody reads here, so that no normalisation has more than a line to work on. */
const MAX_UNITS = 32 * MOST_UNITS_FOR_ONE

/**
 * A name as the most forgiving parser could read it: full case folding and NFKC, what is invisible left out, the
 * space around it too, and nothing behind a NUL, where C ends its strings. Undefined: it is longer than any name that
 * is compared by it.
 */
export function foldName(name: string): string | undefined {
  const nul = name.indexOf('\0', 1)
  const visible = (nul > 0 ? name.slice(0, nul) : name).replace(INVISIBLE, '').trim()
  // Combining marks in the wrong order are sorted one by one: a megabyte of them would take minutes.
  if (visible.length > MAX_UNITS) return undefined
  const cased = visible.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  // The Turkic İ is i to some readers, and i with a dot to all others.
  return cased.replaceAll('i\u0307', 'i')
}
