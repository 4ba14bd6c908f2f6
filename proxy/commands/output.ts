import { printJson, printLines } from '#base/print.ts'

/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: true
}

/** Prints one JSON document for programs, or the given lines for people; neither can hold a line end of a stranger's. */
export function print({ json }: CommonOptions, document: unknown, lines: readonly string[]): void {
  if (json) printJson(JSON.stringify(document, undefined, 2))
  else printLines(lines)
}
