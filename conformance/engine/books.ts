import type { ControlBooks } from '#contract/models'
import { checkDebits, debitsIn } from './debits.ts'
import { breaks, type Violation } from './universal/violation.ts'

type Generation = ControlBooks['generations'][number]

const PER_PRICE = 1_000_000n

/** Finds what does not add up in a workspace's books, once nothing of it runs any more; empty when all does. */
export function checkBooks(books: ControlBooks): readonly Violation[] {
  return [...checkRows(books), ...checkDebits(debitsIn(books)), ...checkFree(books), ...checkCosts(books)]
}

/** What a generation costs: prompt and completion at their prices per million, rounded up once (MET-01, MET-03). */
export function costMicros(
  usage: { readonly promptTokens: number; readonly completionTokens: number },
  prices: { readonly promptMicros: number; readonly completionMicros: number },
): number {
  const total =
    BigInt(usage.promptTokens) * BigInt(prices.promptMicros) +
    BigInt(usage.completionTokens) * BigInt(prices.completionMicros)
  return Number((total + PER_PRICE - 1n) / PER_PRICE)
}

/** What a generation of the books costs by its own tokens and prices. */
function costOf(generation: Generation): number {
  return costMicros(
    { promptTokens: generation.prompt_tokens, completionTokens: generation.completion_tokens },
    { promptMicros: generation.prompt_price_micros, completionMicros: generation.completion_price_micros },
  )
}

function checkRows({ balance_micros: balance, entries, holds }: ControlBooks): readonly Violation[] {
  const violations: Violation[] = []
  let sum = 0
  for (const { id, amount_micros: amount, balance_after_micros: after } of entries) {
    sum += amount
    if (after !== sum)
      violations.push(breaks(['WSP-11'], `ledger row ${id} leaves ${after}, its sum is ${sum}`))
  }
  if (balance !== sum)
    violations.push(breaks(['WSP-16'], `the balance is ${balance}, the ledger's sum ${sum}`))
  if (holds.length > 0) violations.push(breaks(['CRED-31'], `${holds.length} holds are left behind`))
  return violations
}

/** Every generation has its row, one that cost nothing as well. */
function checkFree({ entries, generations }: ControlBooks): readonly Violation[] {
  return generations
    .filter(({ id, cost_micros: cost }) => cost === 0 && entries.every(({ reference }) => reference !== id))
    .map(({ id }) => breaks(['WSP-15'], `${id} cost nothing and has no row`))
}

function checkCosts({ generations }: ControlBooks): readonly Violation[] {
  return generations
    .filter((generation) => generation.cost_micros !== costOf(generation))
    .map((generation) =>
      breaks(['MET-01'], `${generation.id} cost ${generation.cost_micros}, not ${costOf(generation)}`),
    )
}
