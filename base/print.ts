import { visible, visibleJson } from './foreign-text.ts'
import { messageOf } from './thrown.ts'

/** What every command takes. */
export interface OutputOptions {
  readonly json?: true
}

/** Prints lines for people on standard output. Each is one line, whatever stands in it. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.map(visible).join('\n')}\n`)
}

/** Prints a JSON text for programs on standard output. */
export function printJson(json: string): void {
  process.stdout.write(`${visibleJson(json)}\n`)
}

/** Prints one JSON document for programs, or the given lines for people. A `bigint` is a JSON integer (WSP-07). */
export function print({ json }: OutputOptions, document: unknown, lines: readonly string[]): void {
  if (json)
    printJson(
      JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? asInteger(value) : value), 2),
    )
  else printLines(lines)
}

/** Tells on standard error, in one line, why something was not done. */
export function complain(message: string): void {
  process.stderr.write(`${visible(message)}\n`)
}

/** Tells the same of whatever was thrown; only a configuration file has several mistakes, each on its line. */
export function complainOf(thrown: unknown): void {
  const message = messageOf(thrown)
  // Known by its name: its file brings the YAML parser along. It writes its own line ends, and shows those of others.
  const isList = thrown instanceof Error && thrown.name === 'ConfigError'
  for (const line of isList ? message.split('\n') : [message]) complain(line)
}

/** Passes on what the parser of arguments says: its own lines, around what somebody has typed. */
export function printUsage(text: string, write: (text: string) => void): void {
  write(text.split('\n').map(visible).join('\n'))
}

function asInteger(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError('An amount is too large for a JSON integer.')
  return number
}
