import { createLog as createLines, type ErrorField, type Log as LogOf } from '#base/log.ts'
import { messageOf } from '#base/thrown.ts'

/** What a line may say beside its message. Nothing of a request or an answer has a field. */
export interface LogFields extends ErrorField {
  readonly url?: string
  readonly digest?: string
  readonly fingerprint?: string
  readonly issuedAt?: string
  readonly change?: string
  readonly cause?: string
  /** Where something stands in the configuration or the deployment. */
  readonly path?: string
}

/** Where the platform says what happened. */
export type Log = LogOf<LogFields>

/** Writes JSON lines, one for each message. */
export function createLog(write: (line: string) => void, now: () => Date): Log {
  return createLines(write, (level, message, fields) => ({
    time: now().toISOString(),
    level,
    message,
    ...fields,
  }))
}

/** A few words on what was thrown: its code, where it has one. */
export function describe(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : messageOf(thrown)
}
