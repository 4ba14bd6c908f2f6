import { pino } from 'pino'
import type { Log, LogFields } from '../log.ts'

/** Structured lines on stderr: stdout belongs to a command's result. */
export function createLog(level: 'info' | 'warn'): Log {
  const formatters = { level: (label: string) => ({ level: label }) }
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }
  const lines = pino(options, pino.destination(2))
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
