import { visible, visibleJson } from './foreign-text.ts'
import { messageOf } from './thrown.ts'

/** Prints lines for people on standard output. Each is one line, whatever stands in it. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.map(visible).join('\n')}\n`)
}

/** Prints a JSON text for programs on standard output. */
export function printJson(json: string): void {
  process.stdout.write(`${visibleJson(json)}\n`)
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
