import { isoTime } from '#base/iso.ts'
import { createLog as createLines } from '#base/log.ts'
import type { Log } from '../log.ts'
import { writeInBackground } from './background.ts'

const STDERR = 2

/** Structured lines on stderr: stdout belongs to a command's result. No request waits for them. */
export function createLog(level: 'info' | 'warn', fd = STDERR): Log {
  const write = writeInBackground(fd, (count) => `${JSON.stringify(toLine('warn', LOST, { count }))}\n`)
  const log: Log = createLines((line) => write(withoutKeys(line)), toLine)
  return level === 'warn' ? { ...log, info() {} } : log
}

const LOST = 'lines of this log were lost: its reader was too slow, or its disk full'

function toLine(level: string, msg: string, fields: object): object {
  return { level, time: isoTime(Date.now()), ...fields, msg }
}

/** A key beyond the prefix by which it is shown. */
const KEYS = /(sk-tee-v1-[\w-]{2})[\w-]+/g

/** No field is meant for a key, but a caller may put one anywhere, into its request id for instance. */
function withoutKeys(line: string): string {
  return line.includes('sk-tee-v1-') ? line.replace(KEYS, '$1…') : line
}
