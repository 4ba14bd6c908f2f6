import type { ControlBooks, ControlDebits } from '#contract/models'
import { breaks, type Violation } from './universal/violation.ts'

/** What given rules speak of in the books of this project. */
export function debitsIn({ balance_micros, entries, generations }: ControlBooks): ControlDebits {
  return {
    balance_micros,
    rows: entries.map(({ kind, amount_micros, description, reference }) => ({
      amount_micros,
      generation_id: kind === 'generation' ? reference : null,
      name: description,
    })),
    generations: generations.map(({ id, status, prompt_tokens, completion_tokens, cost_micros }) => ({
      ...{ id, status, prompt_tokens, completion_tokens, cost_micros },
    })),
  }
}

/**
 * Finds what is not debited as it was metered; empty when all is. A generation that cost nothing may have a row of nothing
 * or none.
 */
export function checkDebits({ rows, generations }: ControlDebits): readonly Violation[] {
  const debits = Map.groupBy(
    rows.filter((row) => row.generation_id !== null),
    (row) => row.generation_id,
  )
  const violations = generations.flatMap(({ id, cost_micros: cost }) => {
    const amounts = (debits.get(id) ?? []).map((row) => row.amount_micros)
    debits.delete(id)
    const isRight = amounts.length === 1 ? amounts[0] === 0 - cost : amounts.length === 0 && cost === 0
    return isRight
      ? []
      : [breaks(['MET-04'], `${id} cost ${cost} and was debited as ${JSON.stringify(amounts)}`)]
  })
  const orphans = [...debits.keys()].map((id) =>
    breaks(['MET-04'], `a debit names ${id}, of which there is no record`),
  )
  return [...violations, ...orphans]
}

/** The debits of one generation, in micro-dollars and above zero, as many as there are rows. */
export function debitsOf({ rows }: ControlDebits, id: string): readonly number[] {
  return rows.filter((row) => row.generation_id === id).map((row) => 0 - row.amount_micros)
}
