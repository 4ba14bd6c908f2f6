const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** How times are told; the reader's own place and language, unless a test says otherwise. */
export interface Place {
  readonly locale?: string
  readonly timeZone?: string
}

/** A point in time, to the second, with its zone: for what is looked at closely. */
export function inFullTime(time: string | Date, place: Place = {}): string {
  return format(time, place, { dateStyle: 'medium', timeStyle: 'long' })
}

/** Day and time of day, to the second: for rows of a list. */
export function inRowTime(time: string | Date, place: Place = {}): string {
  return format(time, place, {
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
}

/** A day: for what lasts long. */
export function inDay(time: string | Date, place: Place = {}): string {
  return format(time, place, { dateStyle: 'medium' })
}

/** How long ago, or until when, in the largest unit that fits: `3 minutes ago`. */
export function inRelativeTime(time: string | Date, now: Date, { locale }: Place = {}): string {
  const seconds = (new Date(time).getTime() - now.getTime()) / 1_000
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit)
  }
  return words.format(Math.trunc(seconds), 'second')
}

/** A length of time, in the unit that people say: `840 ms`, `1.24 s`, `2 min 05 s`. */
export function inLength(milliseconds: number): string {
  const whole = Math.round(milliseconds)
  if (whole < 1_000) return `${whole} ms`
  const hundredths = Math.round(whole / 10)
  if (hundredths < 6_000) return `${(hundredths / 100).toFixed(2)} s`
  const seconds = Math.round(whole / 1_000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

const MINUTE_MS = 60_000

/** A time as an input of the kind `datetime-local` holds it: to the minute, in the reader's zone. */
export function toInputTime(time: string | null | undefined): string {
  if (time === null || time === undefined) return ''
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** What such an input holds, on the wire; undefined for an empty one. */
export function fromInputTime(value: string): string | undefined {
  return value === '' ? undefined : new Date(value).toISOString()
}

function format(
  time: string | Date,
  { locale, timeZone }: Place,
  options: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat(locale, timeZone === undefined ? options : { ...options, timeZone }).format(
    new Date(time),
  )
}
