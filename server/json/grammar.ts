/**
 * The grammar of JSON as a table: for each state and each byte the next state, or something that has to be done. The
 * states of one value exist three times, by what the value stands in: the outermost object, another one, or a list.
 */
export const grammar = new Uint8Array(128 * 256)

/** What a value stands in. */
export const context = { top: 0, object: 1, list: 2 } as const

/** States of one context, but for those within a text. */
const STATES = 34

const local = {
  value: 0,
  textEscape: 1,
  textHex: 2,
  literal: 6,
  minus: 16,
  zero: 17,
  integer: 18,
  point: 19,
  fraction: 20,
  exponent: 21,
  exponentSign: 22,
  exponentDigits: 23,
  after: 24,
  name: 25,
  colon: 26,
  nameEscape: 27,
  nameHex: 28,
  firstName: 32,
  firstValue: 33,
} as const

/** From here on a state is within a text: one comparison tells, where most bytes of a body are. */
export const TEXTS = 122

const texts = { text: TEXTS, nameText: TEXTS + 3 } as const

/** The number of a state in one context. */
export function stateOf(where: number, state: keyof typeof local | keyof typeof texts): number {
  if (state === 'text' || state === 'nameText') return texts[state] + where
  return where * STATES + local[state]
}

/** States outside of every object. */
export const START = 3 * STATES
export const END = START + 1
const DEAD = START + 2

/** From here on the table says what is to be done in place of a state. */
export const ACTIONS = 128

export const action = {
  fail: ACTIONS,
  openObject: ACTIONS + 1,
  openList: ACTIONS + 2,
  closeObject: ACTIONS + 3,
  closeList: ACTIONS + 4,
  commaInTop: ACTIONS + 5,
  commaInObject: ACTIONS + 6,
  commaInList: ACTIONS + 7,
  nameStarts: ACTIONS + 8,
  nameEnds: ACTIONS + 9,
  valueStarts: ACTIONS + 10,
  /** The value ends with this byte. */
  valueEnds: ACTIONS + 11,
  /** A number ended before this byte, which is looked at once more. */
  numberEnds: ACTIONS + 12,
} as const

const SPACE = ' \n\r\t'
const DIGITS = '0123456789'
const HEX = `${DIGITS}abcdefABCDEF`
const ESCAPES = '"\\/bfnrt'
const LITERALS = ['true', 'false', 'null']

grammar.fill(action.fail)
for (const where of Object.values(context)) describe(where)
on(START, SPACE, START)
on(START, '{', action.openObject)
on(END, SPACE, END)

/** Where the checker stops for good: every byte leads back to it. */
export const STOPPED = DEAD
grammar.fill(DEAD, DEAD * 256, (DEAD + 1) * 256)

function describe(where: number): void {
  const isTop = where === context.top
  const at = (state: Parameters<typeof stateOf>[1]) => stateOf(where, state)
  const ended = isTop ? action.valueEnds : at('after')
  describeText(at('text'), at('textEscape'), at('textHex'), ended)
  describeText(at('nameText'), at('nameEscape'), at('nameHex'), isTop ? action.nameEnds : at('colon'))
  describeAfter(where)
  describeNumber(where)
  describeLiterals(where, ended)
  for (const state of ['value', 'name', 'firstName', 'firstValue', 'colon'] as const)
    on(at(state), SPACE, at(state))
  for (const state of ['value', 'firstValue'] as const) {
    on(at(state), '"', isTop ? action.valueStarts : at('text'))
    on(at(state), '{', isTop ? action.valueStarts : action.openObject)
    on(at(state), '[', isTop ? action.valueStarts : action.openList)
    on(at(state), '-', isTop ? action.valueStarts : at('minus'))
    on(at(state), '0', isTop ? action.valueStarts : at('zero'))
    on(at(state), '123456789', isTop ? action.valueStarts : at('integer'))
    if (isTop) on(at(state), 'tfn', action.valueStarts)
  }
  for (const state of ['name', 'firstName'] as const)
    on(at(state), '"', isTop ? action.nameStarts : at('nameText'))
  on(at('firstName'), '}', action.closeObject)
  on(at('firstValue'), ']', action.closeList)
  on(at('colon'), ':', at('value'))
}

function describeText(text: number, escaped: number, hex: number, ended: number): void {
  for (let code = 0x20; code < 256; code++) grammar[text * 256 + code] = text
  on(text, '"', ended)
  on(text, '\\', escaped)
  on(escaped, ESCAPES, text)
  on(escaped, 'u', hex)
  for (let digit = 0; digit < 4; digit++) on(hex + digit, HEX, digit === 3 ? text : hex + digit + 1)
}

function describeAfter(where: number): void {
  const state = stateOf(where, 'after')
  const commas = [action.commaInTop, action.commaInObject, action.commaInList]
  on(state, SPACE, state)
  on(state, ',', commas[where]!)
  on(
    state,
    where === context.list ? ']' : '}',
    where === context.list ? action.closeList : action.closeObject,
  )
}

function describeNumber(where: number): void {
  const at = (state: Parameters<typeof stateOf>[1]) => stateOf(where, state)
  on(at('minus'), '0', at('zero'))
  on(at('minus'), '123456789', at('integer'))
  on(at('integer'), DIGITS, at('integer'))
  on(at('point'), DIGITS, at('fraction'))
  on(at('fraction'), DIGITS, at('fraction'))
  on(at('exponent'), '+-', at('exponentSign'))
  for (const state of ['exponent', 'exponentSign', 'exponentDigits'] as const)
    on(at(state), DIGITS, at('exponentDigits'))
  for (const state of ['zero', 'integer'] as const) on(at(state), '.', at('point'))
  for (const state of ['zero', 'integer', 'fraction'] as const) on(at(state), 'eE', at('exponent'))
  for (const state of ['zero', 'integer', 'fraction', 'exponentDigits'] as const) {
    // A number has no end of its own: what follows it is what follows a value.
    for (const follower of `${SPACE},]}`) {
      const next = grammar[at('after') * 256 + follower.charCodeAt(0)]!
      on(at(state), follower, where === context.top ? action.numberEnds : next)
    }
  }
}

function describeLiterals(where: number, ended: number): void {
  let state = stateOf(where, 'literal')
  for (const word of LITERALS) {
    for (const entry of ['value', 'firstValue'] as const) on(stateOf(where, entry), word[0]!, state)
    for (const letter of word.slice(1, -1)) on(state, letter, ++state)
    on(state++, word.at(-1)!, ended)
  }
}

function on(state: number, characters: string, next: number): void {
  for (const character of characters) grammar[state * 256 + character.charCodeAt(0)] = next
}
