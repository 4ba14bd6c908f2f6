import { JsonError } from './json-value.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const ESCAPED: ReadonlyMap<number, number> = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
)
const UNICODE = 'u'.charCodeAt(0)

/** What ends a run of units that stand for themselves: a quote, a backslash or a control character. */
const SPECIAL = /[^ !#-[\]-\uffff]/g

/** As many units are put together at once: a call cannot have any number of arguments. */
const CHUNK = 4_096

/** A string of a document, and where what follows it begins. */
interface StringToken {
  readonly value: string
  readonly end: number
}

/**
 * Reads the string whose opening quote is at `start`; looks at each UTF-16 unit once. Throws a `JsonError`: `not_json`
 * for no whole string, `ambiguous` for a lone surrogate.
 */
export function readString(text: string, start: number): StringToken {
  if (text.charCodeAt(start) !== QUOTE) throw new JsonError('not_json')
  // An expression finds it sooner than a loop over the units.
  SPECIAL.lastIndex = start + 1
  if (!SPECIAL.test(text)) throw new JsonError('not_json')
  const at = SPECIAL.lastIndex - 1
  const unit = text.charCodeAt(at)
  if (unit === QUOTE) return { value: text.slice(start + 1, at), end: at + 1 }
  if (unit === BACKSLASH) return readEscaped(text, at, text.slice(start + 1, at))
  throw new JsonError('not_json')
}

/** Goes on with a string at its first escape. */
function readEscaped(text: string, start: number, before: string): StringToken {
  let value = before
  let units: number[] = []
  let at = start
  for (let unit = BACKSLASH; unit !== QUOTE; unit = text.charCodeAt(at)) {
    // Neither a control character nor, where there is no unit at all, the end.
    if (!(unit >= SPACE)) throw new JsonError('not_json')
    if (unit !== BACKSLASH) {
      units.push(unit)
      at += 1
    } else if (text.charCodeAt(at + 1) === UNICODE) {
      units.push(hexOf(text, at + 2))
      at += 6
    } else {
      units.push(escapedOf(text.charCodeAt(at + 1)))
      at += 2
    }
    if (units.length === CHUNK) {
      value += String.fromCharCode(...units)
      units = []
    }
  }
  value += String.fromCharCode(...units)
  if (!value.isWellFormed()) throw new JsonError('ambiguous')
  return { value, end: at + 1 }
}

function escapedOf(letter: number): number {
  const unit = ESCAPED.get(letter)
  if (unit === undefined) throw new JsonError('not_json')
  return unit
}

function hexOf(text: string, at: number): number {
  let unit = 0
  for (let index = at; index < at + 4; index++) unit = unit * 16 + digitOf(text.charCodeAt(index))
  return unit
}

function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit | 0x20
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57
  throw new JsonError('not_json')
}
