import { expect, test } from 'vitest'
import { foldName } from './fold.ts'

const LAST_CODE_POINT = 0x10ffff
const ASCII = /^[a-z0-9_]+$/

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const FOLDS_TO_LETTER = /^[a-z]$/iu
const ASSIGNED = /\p{Assigned}/u

function isFolded(letter: string, character: string): boolean {
  return new RegExp(`^${letter}$`, 'iu').test(character)
}

/** What Unicode itself says of one code point: its foldings as far as this engine shows them, and its normal form. */
function readings(character: string): string[] {
  const cases = [
    character.toLowerCase(),
    character.toUpperCase().toLowerCase(),
    character.normalize('NFKC').toLowerCase(),
  ]
  // `i` and `u` together compare by Unicode's simple case folding.
  const simple = FOLDS_TO_LETTER.test(character) ? [...LETTERS].filter((one) => isFolded(one, character)) : []
  return [...cases, ...simple].filter((reading) => ASCII.test(reading))
}

test('every code point that any reading takes for plain letters is folded to them', () => {
  const other: string[] = []
  for (let point = 0x80; point <= LAST_CODE_POINT; point++) {
    const character = String.fromCodePoint(point)
    if (!ASSIGNED.test(character)) continue
    for (const reading of readings(character)) {
      if (foldName(`x${character}y`) !== `x${reading}y`) other.push(`${point.toString(16)} is ${reading}`)
    }
  }
  expect(other).toEqual([])
})

test.each([
  ['\u017ftream', 'stream'],
  ['to\u212aens', 'tokens'],
  ['pro\ufb01le', 'profile'],
  ['\uff33\uff34\uff32\uff25\uff21\uff2d', 'stream'],
  ['\u{1d5cc}\u{1d5cd}\u{1d5cb}\u{1d5be}\u{1d5ba}\u{1d5c6}', 'stream'],
  ['ma\u00df', 'mass'],
  ['\u0130nput', 'input'],
  ['\u0131nput', 'input'],
  ['i\u0307nput', 'input'],
  [' \tinput\r\n\u3000', 'input'],
  ['\ufeffin\u200bp\u00adut\u0007', 'input'],
  ['input\0more', 'input'],
  ['\0input', 'input'],
  ['Input', 'input'],
])('%j can be taken for %s', (name, folded) => {
  expect(foldName(name)).toBe(folded)
})

test.each(['in put', 'input2', 'ínput', 'іnput', 'inpu', '入力', ''])('%j stays what it is', (name) => {
  expect(foldName(name)).not.toBe('input')
})

test('a megabyte of anything is folded, or left alone, in time that grows with it', () => {
  const hostile = ['\u0301\u0316', '\u200b', 'ﷺ', ' ', 'İ', 'a'].map((unit) =>
    unit.repeat(1_000_000 / unit.length),
  )
  const startedAt = performance.now()
  for (const name of hostile) foldName(`a${name}a`)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
