import { visibleJson } from '#base/foreign-text.ts'

/** What a line may say beside its message. Keys, prompts and answers have no field (OPS-03). */
export interface LogFields {
  readonly endpoint?: string
  readonly address?: string
  readonly pid?: number
  readonly file?: string
  readonly state?: string
  readonly stage?: string
  readonly reason?: string
  readonly evidenceDigest?: string
  readonly certFingerprint?: string
  /** Path of a setting, and what is wrong with it; never its value. */
  readonly setting?: string
  readonly mistake?: string
  /** Anything thrown; only its name, code, message and stack are written. */
  readonly error?: unknown
}

/** Where the proxy says what happened. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** A log that keeps quiet. */
export const silent: Log = { info() {}, warn() {}, error() {} }

/** Writes JSON lines, one for each message; whatever a terminal would not show stands escaped in them. */
export function createLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, { error, ...fields }: LogFields = {}) => {
      const thrown = error === undefined ? {} : { error: describe(error) }
      write(
        `${visibleJson(JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields, ...thrown }))}\n`,
      )
    }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function describe(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown ? { code: thrown.code } : {}
  return { name, ...code, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}
