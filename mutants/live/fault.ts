import type { RuleId } from '#contract/rules'
import type { Subject } from '../../conformance/engine/target.ts'

/** One small fault of a running deployment: a piece of one file of the product reads otherwise while it is live. */
export interface LiveFault {
  readonly id: string
  /** A source of the product, from the root of the repository: TypeScript, or a migration. */
  readonly file: string
  /** What is replaced; it stands in `within` exactly once, or in the file where nothing surrounds it. */
  readonly find: string
  /** What stands there while the fault is live. */
  readonly replace: string
  /** A text of the file, in which it stands exactly once. */
  readonly within?: string
  /** What `find` is: an expression (usual), statements, or a piece of a statement of SQL in a template of this tag. */
  readonly as?: 'expression' | 'statement' | `sql:${string}`
  /**
   * An expression that only reads, where what stands there otherwise makes no difference unless that holds; the switch is
   * asked in no other case. Of plain expressions the two values are compared, and nothing has to be said.
   */
  readonly when?: string
  /** The rules that it breaks, each of which a check has to find broken. */
  readonly violates: readonly RuleId[]
  /** The scenarios that fail, each by itself; what every exchange is held to fails with them. */
  readonly expectKilledBy: readonly string[]
  /** What cannot be kept by whoever breaks `violates` in this way: checks of these rules fail as well, and of no others. */
  readonly alsoBreaks?: readonly Consequence[]
  /** How long it has to be live before it shows, where something comes round by itself: a signing, a fetch. */
  readonly livesMs?: number
  /** Where they are run; each at its first subject when this is left out. */
  readonly at?: Subject
}

/** Rules that a fault breaks beside those that it is about. */
export interface Consequence {
  readonly rules: readonly RuleId[]
  /** What they have to do with it. */
  readonly because: string
}

/** The rules that a fault says to break besides. */
export function alsoBroken({ alsoBreaks = [] }: LiveFault): readonly RuleId[] {
  return alsoBreaks.flatMap(({ rules }) => rules)
}
