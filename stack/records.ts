import type { Digest } from '../attestation/digest.ts'
import type { Row } from './boxes.ts'
import type { GenerationRecord } from './demo.ts'
import { dollars, grouped, micros, price } from './money.ts'

/** Micro-dollars per million tokens. */
export interface Prices {
  readonly promptPer1mMicros: number
  readonly completionPer1mMicros: number
}

/** The balance around one debit. */
export interface Balances {
  readonly beforeMicros: number
  readonly afterMicros: number
}

const TOKENS_PER_PRICE = 1_000_000

/** The generation record, member by member as the API names them, with a remark where a value wants one. */
export function recordRows(
  { ledger: _, ...record }: GenerationRecord,
  prices: Prices,
  verified: Digest,
): readonly Row[] {
  const { prompt_tokens, completion_tokens, cost_micros } = record
  const exact =
    (prompt_tokens * prices.promptPer1mMicros + completion_tokens * prices.completionPer1mMicros) /
    TOKENS_PER_PRICE
  const remarks: Readonly<Record<string, string>> = {
    prompt_tokens: `at ${price(prices.promptPer1mMicros)}`,
    completion_tokens: `at ${price(prices.completionPer1mMicros)}`,
    cost_micros: `${dollars(cost_micros)}${exact < cost_micros ? `, rounded up from ${exact} micro-dollars` : ''}`,
    evidence_digest: digestRemark(record.evidence_digest, verified),
  }
  return Object.entries(record).map(([label, value]) => {
    const counts = label.endsWith('_tokens') || label === 'cost_micros'
    const shown = counts ? grouped(Number(value)) : String(value)
    return { label, value: shown, remark: remarks[label] ?? '', right: counts }
  })
}

function digestRemark(published: string | null, verified: Digest): string {
  if (published === null) return 'none was published'
  return published === verified ? 'verified' : 'not the verified one'
}

/** The ledger row that paid for it, between the balance before and after. */
export function ledgerRows({ ledger }: GenerationRecord, balances: Balances): readonly Row[] {
  const amount = (label: string, value: number): Row => ({
    label,
    value: dollars(value),
    remark: micros(value).padStart(micros(balances.beforeMicros).length),
    right: true,
  })
  return [
    { label: 'id', value: ledger.id },
    amount('balance before', balances.beforeMicros),
    amount('this answer', ledger.amount_micros),
    amount('balance after', balances.afterMicros),
  ]
}
