import { visibleJson } from './foreign-text.ts'
import { describe } from './thrown.ts'

/** What any line may say beside its message; each program names the rest, and what has no field is not written. */
export interface ErrorField {
  /** Anything thrown; only its name, code, message, stack and causes are written. */
  readonly error?: unknown
}

/** Where a room says what happened; its program decides the form. */
export interface Log<Fields extends object> {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** A log that keeps quiet. */
export const silent: Log<object> = { info() {}, warn() {}, error() {} }

/** The members of a line, in their order. */
export type Form = (level: keyof Log<object>, message: string, fields: object) => object

/** A log of JSON lines that are handed to `write`; whatever a terminal would not show stands escaped in them. */
export function createLog<Fields extends ErrorField>(write: (line: string) => void, form: Form): Log<Fields> {
  const at =
    (level: keyof Log<Fields>) =>
    (message: string, fields?: Fields): void => {
      const told = fields?.error === undefined ? fields : withError(fields)
      write(`${visibleJson(JSON.stringify(form(level, message, told ?? {})))}\n`)
    }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Most lines have no error, and are written without a copy. */
function withError({ error, ...others }: ErrorField): object {
  return { ...others, error: describe(error) }
}
