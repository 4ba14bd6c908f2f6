import { ACTIONS, action, context, END, grammar, START, STOPPED, stateOf, TEXTS } from './grammar.ts'

/** Where one member of the outermost object stands. */
export interface MemberSpan {
  /** The name's opening quote. */
  readonly start: number
  /** One past the name's closing quote. */
  readonly nameEnd: number
  readonly valueStart: number
  /** One past the value's last byte. */
  readonly end: number
}

/** What stops a check. */
export type Flaw = 'malformed' | 'not_an_object' | 'too_many_values' | 'too_many_members'

/** What a body may hold. */
export interface CheckLimits {
  /** Values anywhere; commas and opening brackets stand for them. */
  readonly maxValues: number
  /** Members of the outermost object. */
  readonly maxMembers: number
}

// Looked up once: these are needed for each value.
const FAIL = action.fail
const OPEN_OBJECT = action.openObject
const OPEN_LIST = action.openList
const CLOSE_LIST = action.closeList
const COMMA_IN_LIST = action.commaInList
const COMMA_IN_OBJECT = action.commaInObject
const NUMBER_ENDS = action.numberEnds
const NEXT_IN_LIST = stateOf(context.list, 'value')
const NEXT_IN_OBJECT = stateOf(context.object, 'name')
const NEXT_IN_TOP = stateOf(context.top, 'name')
const FIRST_IN_LIST = stateOf(context.list, 'firstValue')
const FIRST_IN_OBJECT = stateOf(context.object, 'firstName')
const AFTER_IN_LIST = stateOf(context.list, 'after')
const AFTER_IN_OBJECT = stateOf(context.object, 'after')
const FIRST_IN_TOP = stateOf(context.top, 'firstName')

/** The bytes that end a string, or make it another state: found without a look at the grammar, for text is most of a body. */
const isPlain = new Uint8Array(256).fill(1, 0x20)
isPlain[0x22] = 0
isPlain[0x5c] = 0

function textEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isPlain[bytes[at]!] === 1) at++
  return at
}

/** What follows a value in an object or list, by what opened it. */
function afterIn(bracket: number): number {
  return bracket === OPEN_OBJECT ? AFTER_IN_OBJECT : AFTER_IN_LIST
}

/** How the values begin that are no object. */
const OTHER_VALUES = new Set(Array.from('["-0123456789tfn', (character) => character.charCodeAt(0)))

/**
 * Checks that bytes are one JSON object, piece by piece as they arrive and without building anything: each byte is
 * looked at once, nothing is kept but the kinds of the open brackets, and the first flaw ends it. A parser takes
 * twenty times the bytes of `{},{},…`, and a microsecond for each new name.
 */
export class ObjectCheck {
  /** Set when the bytes so far cannot become such an object. */
  flaw: Flaw | undefined
  readonly members: MemberSpan[] = []
  /** Where the object begins, and one past its end. */
  start = 0
  end = 0
  readonly #limits: CheckLimits
  #state: number = START
  /** Bytes before this piece. */
  #offset = 0
  #values = 0
  #depth = 0
  /** What opened each object or list that is open. */
  #open = new Uint8Array(64)
  #member = { start: 0, nameEnd: 0, valueStart: 0 }

  constructor(limits: CheckLimits) {
    this.#limits = limits
  }

  /** Looks at the next piece; false when there is no use in sending more. */
  push(bytes: Uint8Array): boolean {
    if (this.flaw !== undefined) return false
    let state = this.#state
    let depth = this.#depth
    let values = this.#values
    let open = this.#open
    const { length } = bytes
    const table = grammar
    for (let at = 0; at < length; at++) {
      let next = table[(state << 8) | bytes[at]!]!
      // A loop of its own for what asks for nothing: it stays small enough for the compiler to keep all in registers.
      while (next < TEXTS) {
        state = next
        if (++at === length) break
        next = table[(state << 8) | bytes[at]!]!
      }
      if (at === length) break
      if (next < ACTIONS) {
        state = next
        at = textEnd(bytes, at + 1) - 1
      } else if (next === COMMA_IN_LIST) {
        values++
        state = NEXT_IN_LIST
      } else if (next === COMMA_IN_OBJECT) {
        values++
        state = NEXT_IN_OBJECT
      } else if (depth > 0 && next <= OPEN_LIST) {
        // What is further in than the outermost object is done right here, for a body may be little else.
        if (next === FAIL) return this.#stop('malformed')
        if (depth === open.length) open = this.#grow()
        open[depth++] = next
        values++
        state = next === OPEN_OBJECT ? FIRST_IN_OBJECT : FIRST_IN_LIST
      } else if (depth > 2 && next <= CLOSE_LIST) {
        depth--
        state = afterIn(open[depth - 1]!)
      } else {
        this.#depth = depth
        this.#values = values
        state = this.#act(next, bytes[at]!, this.#offset + at)
        depth = this.#depth
        values = this.#values
        open = this.#open
        if (state === STOPPED) return false
        if (next === NUMBER_ENDS) at--
      }
    }
    this.#state = state
    this.#depth = depth
    this.#values = values
    this.#offset += bytes.length
    return values > this.#limits.maxValues ? this.#stop('too_many_values') : true
  }

  /** Nothing more comes. */
  finish(): Flaw | undefined {
    if (this.#state !== END) this.flaw ??= 'malformed'
    return this.flaw
  }

  /** Does what the table says, and gives the state that follows. */
  #act(what: number, current: number, at: number): number {
    switch (what) {
      case action.commaInTop:
        this.#values++
        return NEXT_IN_TOP
      case action.openObject:
      case action.openList:
        return this.#openBracket(what, at)
      case action.closeObject:
      case action.closeList:
        return this.#close(at)
      case action.nameStarts:
        if (this.members.length === this.#limits.maxMembers) return this.#fail('too_many_members')
        this.#member.start = at
        return stateOf(context.top, 'nameText')
      case action.nameEnds:
        this.#member.nameEnd = at + 1
        return stateOf(context.top, 'colon')
      case action.valueStarts:
        return this.#startValue(current, at)
      case action.valueEnds:
        return this.#endValue(at + 1)
      case action.numberEnds:
        return this.#endValue(at)
      default:
        return this.#fail(this.#values === 0 && OTHER_VALUES.has(current) ? 'not_an_object' : 'malformed')
    }
  }

  /** A value of the outermost object is read as one of any other, but its places are kept. */
  #startValue(current: number, at: number): number {
    this.#member.valueStart = at
    const next = grammar[(stateOf(context.object, 'value') << 8) | current]!
    if (next >= ACTIONS) return this.#act(next, current, at)
    if (next >= TEXTS) return stateOf(context.top, 'text')
    return next - stateOf(context.object, 'value') + stateOf(context.top, 'value')
  }

  #endValue(end: number): number {
    this.members.push({ ...this.#member, end })
    return stateOf(context.top, 'after')
  }

  #openBracket(bracket: number, at: number): number {
    const depth = this.#depth++
    if (depth === this.#open.length) this.#grow()
    this.#open[depth] = bracket
    this.#values++
    if (depth > 0) return bracket === action.openObject ? FIRST_IN_OBJECT : FIRST_IN_LIST
    this.start = at
    return FIRST_IN_TOP
  }

  #close(at: number): number {
    const depth = --this.#depth
    if (depth > 1) return afterIn(this.#open[depth - 1]!)
    if (depth === 1) return this.#endValue(at + 1)
    this.end = at + 1
    return END
  }

  #grow(): Uint8Array<ArrayBuffer> {
    const grown = new Uint8Array(2 * this.#open.length)
    grown.set(this.#open)
    this.#open = grown
    return grown
  }

  #fail(flaw: Flaw): number {
    this.flaw = flaw
    this.#state = STOPPED
    return STOPPED
  }

  #stop(flaw: Flaw): false {
    this.#fail(flaw)
    return false
  }
}
