import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import { isTimeOfDatabase } from '../store/times.ts'

/** The parameters of a query as they were sent. */
export type Query<Name extends string> = Readonly<Partial<Record<Name, string>>>

const TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/
const WHOLE = /^\d{1,16}$/

/** A time (RFC 3339). Throws 400 `unsupported_parameter`, as all of these do. */
export function readTime(name: string, text: string): Date {
  const time = toTime(text)
  if (!time) throw wrong(name, 'has to be a time such as 2026-11-23T00:00:00Z.')
  return time
}

/** Undefined: there is no such time. A date that a month does not have would be taken for one of the next month. */
export function toTime(text: string): Date | undefined {
  const [, year, month, day] = TIME.exec(text) ?? []
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const time = new Date(date.getUTCDate() === Number(day) ? text : Number.NaN)
  return isTimeOfDatabase(time) ? time : undefined
}

/** Two times, the first before the second. */
export function readTimes({ from, to }: Query<'from' | 'to'>): {
  from: Date | undefined
  to: Date | undefined
} {
  const times = {
    from: from === undefined ? undefined : readTime('from', from),
    to: to === undefined ? undefined : readTime('to', to),
  }
  if (times.from && times.to && times.from >= times.to) {
    throw wrong('from', 'has to be before to, which does not count any more.')
  }
  return times
}

/** Micro-dollars, not below zero. */
export function readMicros(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!WHOLE.test(text) || Number(text) > Number.MAX_SAFE_INTEGER) {
    throw wrong(name, 'has to be a whole number of micro-dollars.')
  }
  return BigInt(text)
}

/** One of a list. */
export function readChoice<Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined
  const choice = choices.find((one) => one === text)
  if (choice === undefined) throw wrong(name, `has to be one of ${choices.join(', ')}.`)
  return choice
}

/** Anything but nothing. */
export function readText(name: string, text: string | undefined): string | undefined {
  if (text === '') throw wrong(name, 'must not be empty.')
  return text
}

/** How many rows a page may have. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return limits.consolePageRows
  const rows = WHOLE.test(text) ? Number(text) : 0
  if (rows < 1 || rows > limits.maxConsolePageRows) {
    throw wrong('limit', `has to be a whole number from 1 to ${limits.maxConsolePageRows}.`)
  }
  return rows
}

/** The refusal of a parameter; what somebody sent is not repeated. */
export function wrong(name: string, problem: string): ApiError {
  return new ApiError('unsupported_parameter', `${name} ${problem}`, { param: name })
}
