import { pino } from 'pino'
import { visibleJson } from '#base/foreign-text.ts'
import type { Log, LogFields } from '../log.ts'

const STDERR = 2

/**
 * Structured lines on stderr: stdout belongs to a command's result. What comes while a line is being written leaves
 * with the next write, so that no request waits for the log; all of it is out before the process ends. What a terminal
 * would not show stands escaped.
 */
export function createLog(level: 'info' | 'warn', fd = STDERR): Log {
  const formatters = { level: (label: string) => ({ level: label }) }
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }
  const destination = pino.destination({ fd, sync: false })
  let isGone = false
  // A terminal that has gone never comes back: to try on would keep the process from ever ending.
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error
    isGone = true
    destination.destroy()
  })
  const write = (line: string): void => {
    if (!isGone) destination.write(visibleJson(withoutKeys(line)))
  }
  const lines = pino(options, { write })
  return {
    info: (message, fields) => lines.info(toLine(fields), message),
    warn: (message, fields) => lines.warn(toLine(fields), message),
    error: (message, fields) => lines.error(toLine(fields), message),
  }
}

/** An error is written by name, code, message and stack: other members may hold a statement's parameters. */
function toLine({ error, ...fields }: LogFields = {}): object {
  return error === undefined ? fields : { ...fields, error: describe(error) }
}

function describe(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown ? { code: thrown.code } : {}
  return { name, ...code, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}

/** A key beyond the prefix by which it is shown. */
const KEYS = /(sk-tee-v1-[\w-]{2})[\w-]+/g

/** No field is meant for a key, but a caller may put one anywhere, into its request id for instance. */
function withoutKeys(line: string): string {
  return line.includes('sk-tee-v1-') ? line.replace(KEYS, '$1…') : line
}
