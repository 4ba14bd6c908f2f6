import { visibleJson } from '#base/foreign-text.ts'

/** What a line may say beside its message. Nothing of a request or an answer has a field. */
export interface LogFields {
  readonly url?: string
  readonly digest?: string
  readonly fingerprint?: string
  readonly issuedAt?: string
  readonly change?: string
  readonly cause?: string
  /** Where something stands in the configuration or the deployment. */
  readonly path?: string
}

/** Writes structured lines. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
}

/** Writes lines of JSON with `write`. */
export function createLog(write: (line: string) => void, now: () => Date): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${visibleJson(JSON.stringify({ time: now().toISOString(), level, message, ...fields }))}\n`)
  return { info: at('info'), warn: at('warn') }
}

/** A few words on what was thrown. */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { code } = thrown as NodeJS.ErrnoException
  return code ?? thrown.message
}
