/** A member as it stands in the text; one name may stand several times. */
export type Entry = readonly [name: string, value: Ordered]

/** A value of JSON whose objects keep every member, in their order. */
export type Ordered =
  | string
  | number
  | boolean
  | null
  | readonly Ordered[]
  | { readonly members: readonly Entry[] }

/** Reads JSON text and forgets none of its members, as `JSON.parse` would. Throws what that throws. */
export function parseOrdered(text: string): Ordered {
  JSON.parse(text)
  return new Parser(text).value()
}

/** Of text that is known to be JSON. */
class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): Ordered {
    const first = this.#peek()
    if (first === '{') return { members: this.#several('}', () => this.#entry()) }
    if (first === '[') return this.#several(']', () => this.value())
    return this.#scalar()
  }

  #entry(): Entry {
    const name = this.#scalar() as string
    this.#peek()
    this.#at++
    return [name, this.value()]
  }

  #several<Item>(close: string, item: () => Item): Item[] {
    const items: Item[] = []
    this.#at++
    while (this.#peek() !== close) {
      items.push(item())
      if (this.#peek() === ',') this.#at++
    }
    this.#at++
    return items
  }

  #scalar(): string | number | boolean | null {
    this.#peek()
    const scalar = /"(?:[^"\\]|\\.)*"|[^\s,\]}:]+/y
    scalar.lastIndex = this.#at
    const [found] = scalar.exec(this.#text)!
    this.#at += found.length
    return JSON.parse(found) as string | number | boolean | null
  }

  #peek(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#text[this.#at]
  }
}
