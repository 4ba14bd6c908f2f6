/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: true
}

/** Prints one JSON document for programs, or the given lines for people. */
export function print({ json }: CommonOptions, document: unknown, lines: readonly string[]): void {
  process.stdout.write(`${json ? JSON.stringify(document, undefined, 2) : lines.join('\n')}\n`)
}
