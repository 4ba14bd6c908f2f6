import type { ErrorCode } from '#contract/errors'
import type { OperationId } from '#contract/routes'
import type { RuleId } from '#contract/rules'
import type { AccountSettings } from '../accounts.ts'
import type { Description } from '../scenario.ts'
import type { FixtureKey } from '../target.ts'

type Texts = Readonly<Record<string, string>>
type Members = Readonly<Record<string, unknown>>

/**
 * A scenario that needs no program: requests, one after the other, and what each is answered. In texts `{{nonce}}`,
 * `{{prompt}}`, `{{cors}}`, `{{key}}`, `{{key.NAME}}`, `{{model.NAME}}` and `{{endpoint.NAME}}` are filled in.
 */
export interface DataDefinition extends Description {
  readonly run?: never
  /** Workspace and key of its own that differ from the usual ones. */
  readonly account?: AccountSettings
  /** How the scripted backend answers its requests: one rule of the stand-in's script. */
  readonly backend?: object
  /** The operation of each step that names none. */
  readonly operation?: OperationId
  /** What each step is answered, beside what it tells itself. */
  readonly expect?: Expectation
  /** The rules that its steps show, where they tell none themselves. */
  readonly shows?: Shows
  readonly steps: readonly Step[]
}

/** The rules that all of an expectation shows, or those of its parts by name; a part that is not named shows none. */
export type Shows = readonly RuleId[] | Readonly<Partial<Record<keyof Expectation, readonly RuleId[]>>>

/** One request. */
export interface Step {
  /** What is different about it. */
  readonly name?: string
  /** How the scripted backend answers from this step on. */
  readonly backend?: object
  readonly operation?: OperationId
  /** For a path of one's own. */
  readonly method?: string
  /** Below the base URL, or an absolute one when it begins with `//`. */
  readonly path?: string
  readonly params?: Texts
  readonly query?: Texts
  readonly headers?: Texts
  readonly key?: FixtureKey | 'own' | 'none'
  /** Members that are put into the usual body, or take the place of its own. */
  readonly body?: Members
  /** Members that are left out of the usual body. */
  readonly omit?: readonly string[]
  /** A body as it is. */
  readonly text?: string
  /** A body of any bytes, in base64. */
  readonly bytes?: string
  readonly expect?: Expectation
  /** The rules that its expectation shows; a scenario with several says so of each step. */
  readonly shows?: Shows
}

/** What an answer has to be; what is not named is left open. Members are values or matchers (match.ts). */
export interface Expectation {
  /** That of the error when one is named, else 200. */
  readonly status?: number
  /** The code of the error; status and type follow from the registry. */
  readonly error?: ErrorCode
  /** The field that the error names. */
  readonly param?: string
  /** What the error's message must hold, as a regular expression. */
  readonly message?: string
  /** Headers by name: a text, or a matcher. */
  readonly headers?: Members
  readonly body?: Members
  /** Whether the answer is an event stream that ends well. */
  readonly stream?: boolean
  /** Members of the last chunk that tells the usage, or of the body's `usage`. */
  readonly usage?: Members
  /** Members of the generation record. */
  readonly record?: Members
  /** What the ledger shows as debited for it, in micro-dollars. */
  readonly debitMicros?: number
  /** Members of the request that the backend received. */
  readonly sent?: Members
}
