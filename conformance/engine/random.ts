import { createHash } from 'node:crypto'

/** Choices that a seed decides, so that a run can be had again. */
export interface Random {
  /** A whole number from 0 to below the bound. */
  below(bound: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** Lower-case letters and digits. */
  word(length: number): string
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'

/** The choices of one scenario; they depend on the seed and its id alone, not on what else runs. */
export function createRandom(seed: number, scenario: string): Random {
  let counter = 0
  const next = () => {
    counter += 1
    return createHash('sha256').update(`${seed}/${scenario}/${counter}`).digest().readUInt32BE(0)
  }
  const below = (bound: number) => next() % bound
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    word: (length) => Array.from({ length }, () => ALPHABET[below(ALPHABET.length)]).join(''),
  }
}
