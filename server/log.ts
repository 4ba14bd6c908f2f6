import type { ErrorField, Log as LogOf } from '#base/log.ts'

export { silent } from '#base/log.ts'

/** What a line may say beside its message. Keys, prompts and answers have no field (SRV-14). */
export interface LogFields extends ErrorField {
  readonly requestId?: string | undefined
  readonly generationId?: string | undefined
  readonly workspaceId?: string | undefined
  /** Of a key; its text and its hash have no field. */
  readonly keyId?: string | undefined
  readonly replicaId?: string
  readonly model?: string
  readonly backend?: string
  /** Name of one of several databases. */
  readonly cell?: string
  /** Name of an external upstream. */
  readonly upstream?: string
  /** Of a verifier's refusal. */
  readonly stage?: string | undefined
  readonly reason?: string | undefined
  readonly address?: string
  /** Address of the operator's listener. */
  readonly admin?: string | undefined
  readonly path?: string
  readonly method?: string
  /** A route's template; a path may hold anything. */
  readonly route?: string | undefined
  readonly status?: number | undefined
  /** Of a refusal. */
  readonly code?: string | undefined
  /** The answer did not reach its end. */
  readonly isCut?: boolean | undefined
  readonly metric?: string
  readonly pid?: number
  /** Of the configuration that is in force, and of the one before it. */
  readonly version?: string
  readonly before?: string
  /** A path in the configuration file, and what is wrong there. */
  readonly setting?: string
  readonly mistake?: string
  readonly count?: number
  readonly durationMs?: number
}

/** Where a room says what happened; the caller decides the form. */
export type Log = LogOf<LogFields>
