import type { RequestRow } from '#contract/console/models'
import type { operations } from '#contract/console/types'

/** What the log is narrowed to, and its order, as the contract's query has it. */
export type RequestFilter = Omit<
  NonNullable<operations['listRequests']['parameters']['query']>,
  'after' | 'limit'
>

/** Whether a row that came live belongs into a list that was narrowed so. */
export function matches(row: RequestRow, filter: RequestFilter): boolean {
  const cost = row.cost_micros
  const time = Date.parse(row.created_at)
  return (
    (filter.model === undefined || row.model === filter.model) &&
    (filter.key === undefined || row.key.id === filter.key) &&
    (filter.status === undefined || row.status === filter.status) &&
    (filter.from === undefined || time >= Date.parse(filter.from)) &&
    (filter.to === undefined || time < Date.parse(filter.to)) &&
    (filter.min_cost_micros === undefined || (cost !== null && cost >= filter.min_cost_micros)) &&
    (filter.max_cost_micros === undefined || (cost !== null && cost <= filter.max_cost_micros))
  )
}
