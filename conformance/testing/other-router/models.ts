/** A model and what a million of its tokens cost, in micro-dollars. */
export interface Model {
  readonly id: string
  readonly window: number
  readonly input: number
  readonly output: number
  readonly does: 'talk' | 'write' | 'embed'
  readonly endpoint: 'main' | 'dark' | 'shown'
}

const usual = { window: 20_000, input: 250_000, output: 750_000, does: 'talk', endpoint: 'main' } as const

/** Every model that is served. */
export const models: readonly Model[] = [
  { ...usual, id: 'parrot' },
  { ...usual, id: 'starling' },
  { ...usual, id: 'quill', does: 'write' },
  { ...usual, id: 'compass', does: 'embed' },
  { ...usual, id: 'gift', window: 100_000_000, input: 0, output: 0 },
  { ...usual, id: 'wren', window: 300 },
  { ...usual, id: 'lantern', endpoint: 'dark' },
  { ...usual, id: 'poster', endpoint: 'shown' },
]

/** What the list tells of a model. Prices are texts, and nothing says what evidence names: this router knows no label. */
export function entryOf({ id, window, input, output, does }: Model): object {
  return {
    id,
    object: 'model',
    created: 1_750_000_000,
    owned_by: 'the other house',
    context_length: window,
    pricing: { unit: 'micro-dollars', rates: { input: String(input), output: String(output) } },
    endpoint: { tee: null },
    abilities: [does],
  }
}

/** What a generation costs, rounded up once. */
export function costOf({ input, output }: Model, prompt: number, completion: number): number {
  const total = BigInt(prompt) * BigInt(input) + BigInt(completion) * BigInt(output)
  return Number((total + 999_999n) / 1_000_000n)
}
