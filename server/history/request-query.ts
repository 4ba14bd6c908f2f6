import type { PagePlace } from './page.ts'

/** By what the log may be sorted; equal ones stand by time, then by id. Rows without such a value come last. */
export const requestSorts = [
  'time',
  'input_tokens',
  'output_tokens',
  'cost',
  'speed',
  'time_to_first_token',
] as const

export type RequestSort = (typeof requestSorts)[number]

/** Which requests are shown; what is left out restricts nothing. */
export interface RequestFilter {
  /** That arrived then or later. */
  readonly from?: Date | undefined
  /** That arrived before. */
  readonly to?: Date | undefined
  /** Router model id. */
  readonly model?: string | undefined
  readonly keyId?: string | undefined
  readonly status?: 'running' | 'ok' | 'aborted' | undefined
  /** Leaves out what still runs. */
  readonly isEnded?: boolean
  /** What runs has no cost yet, and is not among those with one. */
  readonly minCostMicros?: bigint | undefined
  readonly maxCostMicros?: bigint | undefined
}

/** Where in an order a row stands: pages begin behind one or end before one, however many rows are added. */
export interface Position {
  /** What the log is sorted by; an end of all numbers where that is not known, 0 where it is the time. */
  readonly value: bigint
  /** ISO 8601 to the microsecond. */
  readonly at: string
  readonly id: string
}

/** One page of a workspace's log. */
export interface RequestQuery extends RequestFilter {
  readonly sort: RequestSort
  readonly isDescending: boolean
  readonly place: PagePlace<Position>
  readonly limit: number
}
