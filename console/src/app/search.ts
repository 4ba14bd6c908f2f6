import type { RequestFilter } from '../requests/filter.ts'

/** What stands behind the `?` of an address: written by anybody, so that each part is read or left out. */
type Raw = Record<string, unknown>

const STATUSES = ['running', 'ok', 'aborted'] as const
const SORTS = ['time', 'cost', 'input_tokens', 'output_tokens', 'speed', 'time_to_first_token'] as const
const ORDERS = ['asc', 'desc'] as const

/** Of the sign-in page: where to go then, which is a path of this page alone, and an invitation. */
export function readSignInSearch(raw: Raw): { to?: string; invitation?: string } {
  const to = readText(raw.to)
  return given({
    to: to !== undefined && /^\/(?![/\\])/.test(to) ? to : undefined,
    invitation: readText(raw.invitation),
  })
}

/** Of the first steps: what an invitation has just granted, in micro-dollars. */
export function readGrant(raw: Raw): { granted?: number } {
  return given({ granted: readCount(raw.granted) })
}

/** Of the request log: its filter, its order, and the request that is looked at. */
export function readLogSearch(raw: Raw): RequestFilter & { id?: string } {
  return given({
    id: readText(raw.id),
    from: readTime(raw.from),
    to: readTime(raw.to),
    model: readText(raw.model),
    key: readText(raw.key),
    status: readOneOf(STATUSES, raw.status),
    min_cost_micros: readCount(raw.min_cost_micros),
    max_cost_micros: readCount(raw.max_cost_micros),
    sort: readOneOf(SORTS, raw.sort),
    order: readOneOf(ORDERS, raw.order),
  })
}

/** Of the evidence page: an endpoint, one of its deployments, and another that it is compared with. */
export function readEvidenceSearch(raw: Raw): { endpoint?: string; digest?: string; before?: string } {
  return given({
    endpoint: readText(raw.endpoint),
    digest: readText(raw.digest),
    before: readText(raw.before),
  })
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function readTime(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined
}

function readOneOf<Value>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((one) => one === value)
}
