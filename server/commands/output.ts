import { shorten } from '#base/foreign-text.ts'
import type { OutputOptions } from '#base/print.ts'

export { print } from '#base/print.ts'

/** Options that every command takes. */
export interface CommonOptions extends OutputOptions {
  readonly config: string
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
