import { shorten } from '#base/foreign-text.ts'
import { printJson, printLines } from '#base/print.ts'

/** Options that every command takes. */
export interface CommonOptions {
  readonly config: string
  readonly json?: true
}

/** Prints one JSON document for programs, or the given lines for people. `bigint`s are JSON integers (WSP-07). */
export function print({ json }: CommonOptions, document: unknown, lines: readonly string[]): void {
  if (json) printJson(toJson(document))
  else printLines(lines)
}

/** Aligns rows in columns, two spaces apart; what is not plain text is shown, and what is too long is cut. */
export function columns(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map((cell) => shorten(cell)))
  const widths: number[] = []
  // One by one: a list may be longer than the arguments that a function takes.
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A time for people, to the second; `-` where there is none. */
export function formatTime(time: Date | null): string {
  return time === null ? '-' : `${time.toISOString().slice(0, 19)}Z`
}

function toJson(document: unknown): string {
  return JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? asInteger(value) : value), 2)
}

function asInteger(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError('An amount is too large for a JSON integer.')
  return number
}
