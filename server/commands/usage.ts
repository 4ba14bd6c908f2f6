import { UsageError } from '#base/command.ts'
import { isTimeOfDatabase } from '../store/times.ts'

export { UsageError }

const MAX_COUNT = 2_147_483_647

/** Parses a whole number of at least 1, or throws `UsageError` naming the option and the most that it takes. */
export function parseCount(option: string, text: string, most = MAX_COUNT): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > most) {
    throw new UsageError(`${option} must be a whole number from 1 to ${most}, not "${text}".`)
  }
  return count
}

const TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Parses an ISO 8601 date, or a time with its zone; throws `UsageError` naming the option. */
export function parseTime(option: string, text: string): Date {
  const day = TIME.exec(text)?.[1]
  const time = new Date(text)
  // 2030-02-31 would be read as the third of March.
  const isRealDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)
  if (!isRealDay || !isTimeOfDatabase(time)) {
    throw new UsageError(`${option} must be a time such as 2030-01-31T12:00:00Z, not "${text}".`)
  }
  return time
}

/** Parses two times, the first before the second: what lies between is asked for. Throws `UsageError`. */
export function parseTimes({ from, to }: { readonly from?: string; readonly to?: string }) {
  const times = {
    from: from === undefined ? undefined : parseTime('--from', from),
    to: to === undefined ? undefined : parseTime('--to', to),
  }
  if (times.from && times.to && times.from >= times.to) {
    throw new UsageError('--from must be before --to, which does not count any more.')
  }
  return times
}

/** Parses a time as `parseTime` does; one that is over would make useless what it is for. */
export function parseFuture(option: string, text: string): Date {
  const time = parseTime(option, text)
  if (time.getTime() <= Date.now()) throw new UsageError(`${option} must be in the future, not "${text}".`)
  return time
}

const MAX_TEXT_CHARACTERS = 200

/** Parses a text for people: one line, not empty. Throws `UsageError` naming the option. */
export function parseText(option: string, text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
  // Characters as the database counts them: an emoji is one.
  if (text.trim() === '' || [...text].length > maxCharacters || /\p{Cc}/u.test(text)) {
    throw new UsageError(`${option} must be one line of 1 to ${maxCharacters} characters.`)
  }
  return text
}
