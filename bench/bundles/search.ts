import { performance } from 'node:perf_hooks'
import type { Genes, Shape } from './case.ts'
import { medianOf, timeOf } from './measure.ts'

/** The slowest bundle of a shape that was found. */
export interface Found {
  readonly shape: Shape
  readonly genes: Genes
  readonly ms: number
  /** How many bundles were tried. */
  readonly tried: number
}

/** Gives numbers from 0 to 1. */
export type Random = () => number

/** How often a bundle that seems slow is judged before it counts. */
const RUNS = 5

/** The share of steps that try new random genes, so that the search leaves a local maximum. */
const RESTARTS = 0.2

/** Searches the slowest bundle of a shape for `budgetMs` by hill climbing; tries at least one. */
export async function search(shape: Shape, budgetMs: number, random: Random): Promise<Found> {
  const untilMs = performance.now() + budgetMs
  let best: Found = { shape, genes: [], ms: 0, tried: 0 }
  let tried = 0
  while (tried === 0 || performance.now() < untilMs) {
    const isFresh = tried === 0 || random() < RESTARTS
    const genes = isFresh ? fresh(shape, random) : mutated(best.genes, random)
    const one = shape.make(genes)
    tried += 1
    if ((await timeOf(one)) <= best.ms) continue
    const ms = await medianOf(one, RUNS)
    if (ms > best.ms) best = { shape, genes, ms, tried }
  }
  return { ...best, tried }
}

function fresh({ genes }: Shape, random: Random): Genes {
  // A third of the genes are 1: the limits lie at the ends.
  return Array.from({ length: genes }, () => (random() < 1 / 3 ? 1 : random()))
}

function mutated(genes: Genes, random: Random): Genes {
  const changed = Math.floor(random() * genes.length)
  return genes.map((gene, index) => (index === changed ? random() : gene))
}

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
