import { isoTime } from '#base/iso.ts'
import { createLog as createLines, type ErrorField, type Log as LogOf } from '#base/log.ts'
import type { HardwareOutput } from '#contract/models'

export { silent } from '#base/log.ts'

/** What a line may say beside its message. Keys, prompts and answers have no field (OPS-03). */
export interface LogFields extends ErrorField {
  readonly endpoint?: string
  readonly address?: string
  readonly pid?: number
  readonly file?: string
  readonly state?: string
  readonly stage?: string
  readonly reason?: string
  readonly evidenceDigest?: string
  readonly certFingerprint?: string
  /** What was seen of the hardware that holds the root's key. */
  readonly hardware?: HardwareOutput
  /** Path of a setting, and what is wrong with it; never its value. */
  readonly setting?: string
  readonly mistake?: string
  /** Of the journal. */
  readonly lines?: number
}

/** Where the proxy says what happened. */
export type Log = LogOf<LogFields>

/** Writes JSON lines, one for each message. */
export function createLog(write: (line: string) => void): Log {
  return createLines(write, (level, msg, fields) => ({
    level,
    time: isoTime(Date.now()),
    msg,
    ...fields,
  }))
}
