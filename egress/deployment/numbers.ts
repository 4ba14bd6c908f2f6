import type { Json } from '#attestation'

/** Numbers values so that equal ones have equal numbers, whatever the order of their members: each is read once. */
export class Numbers {
  readonly #known = new Map<string, number>()
  readonly #numbered = new Map<object, number>()

  of(value: Json): number {
    if (typeof value !== 'object' || value === null) return this.#find(JSON.stringify(value))
    const known = this.#numbered.get(value)
    if (known !== undefined) return known
    const number = this.#find(this.#spell(value))
    this.#numbered.set(value, number)
    return number
  }

  /** A value by the numbers of its parts: no longer than it has parts. */
  #spell(value: object): string {
    if (Array.isArray(value)) return `[${value.map((item: Json) => this.of(item)).join()}]`
    const members = Object.entries(value as Readonly<Record<string, Json>>)
    return `{${members
      .map(([name, part]) => `${JSON.stringify(name)}:${this.of(part)}`)
      .sort()
      .join()}}`
  }

  #find(spelling: string): number {
    const known = this.#known.get(spelling)
    if (known !== undefined) return known
    const number = this.#known.size
    this.#known.set(spelling, number)
    return number
  }
}
