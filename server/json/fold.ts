/** What no reader needs to see of a name: controls, format characters and whatever is not shown at all. */
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u

/** More than every name that anybody reads here has, so that no normalisation has more than a line to work on. */
const MAX_UNITS = 64

/** Of each code unit, from when it is first met: whether it is seen, is not, is white space, or is half of a character. */
const SEEN = 1
const UNSEEN = 2
const SPACE = 3
const HALF = 4
const kinds = new Uint8Array(65_536)

/**
 * A name as the most forgiving parser could read it: full case folding and NFKC, what is invisible left out, the
 * space around it too, and nothing behind a NUL, where C ends its strings. Undefined: it is longer than any name that
 * is compared by it.
 */
export function foldName(name: string): string | undefined {
  if (isPlain(name)) return name
  const visible = visibleOf(name)
  if (visible === undefined) return undefined
  const cased = visible.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  // The Turkic İ is i to some readers, and i with a dot to all others.
  return cased.replaceAll('i\u0307', 'i')
}

/** Whether it is folded already, as nearly every name is: small letters and signs of ASCII, no space among them. */
function isPlain(name: string): boolean {
  if (name.length > MAX_UNITS) return false
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at)
    if (unit <= 0x20 || unit >= 0x7f || (unit >= 0x41 && unit <= 0x5a)) return false
  }
  return true
}

/**
 * What is seen of a name, without the space around it. Given up as soon as it is too long: combining marks in the
 * wrong order are sorted one by one, and a megabyte of them would take minutes.
 */
function visibleOf(name: string): string | undefined {
  let visible = ''
  let spaces = ''
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at)
    const kind = kinds[unit] || meet(unit)
    if (unit === 0 && at > 0) break
    if (kind === UNSEEN) continue
    if (kind === SPACE) {
      // Kept for what may come after; more than fits is as good as just too many.
      if (visible.length > 0 && spaces.length <= MAX_UNITS) spaces += name[at]
      else at = spacesEnd(name, at) - 1
      continue
    }
    const character = kind === HALF ? String.fromCodePoint(name.codePointAt(at)!) : name[at]!
    at += character.length - 1
    if (kind === HALF && INVISIBLE.test(character)) continue
    visible += spaces + character
    spaces = ''
    if (visible.length > MAX_UNITS) return undefined
  }
  return visible
}

/** Where the white space ends: a name may be a megabyte of it. */
function spacesEnd(name: string, from: number): number {
  let at = from
  while (at < name.length && kinds[name.charCodeAt(at)] === SPACE) at++
  return at
}

function meet(unit: number): number {
  const kind = kindOf(unit)
  kinds[unit] = kind
  return kind
}

function kindOf(unit: number): number {
  const character = String.fromCharCode(unit)
  if (unit >= 0xd800 && unit < 0xe000) return HALF
  if (INVISIBLE.test(character)) return UNSEEN
  return character.trim() === '' ? SPACE : SEEN
}
