import type { ConsoleOperationId } from '#contract/console/routes'
import type { OperationId } from '#contract/routes'
import type { RuleId } from '#contract/rules'
import type { Validator } from '#contract/validator'
import type { Exchange } from '../http/exchange.ts'
import { parseJson } from '../http/json.ts'
import { type Origin, originOf } from '../rules.ts'
import type { Subject } from '../target.ts'

/** What an exchange was, to those who judge every one of them. */
export interface Circumstances {
  readonly subject: Subject
  /** Undefined for a path or a method that the contract does not know. */
  readonly operation: OperationId | undefined
  /** The same of the console. */
  readonly consoleOperation?: ConsoleOperationId | undefined
  /** What must stand in no error: text of the prompt. */
  readonly canary: string
}

/** Something in an exchange that no answer may have, whatever the scenario was about. */
export interface Violation {
  /** The rules that it breaks, and no others; none where no rule says it. */
  readonly rules: readonly RuleId[]
  readonly origin: Origin
  readonly problem: string
  /** Where it was found; left out of what was found in books. */
  readonly exchange?: Exchange
}

/** Finds one kind of violation. */
export type Check = (exchange: Exchange, circumstances: Circumstances) => readonly Violation[]

/** What breaks these rules. */
export function breaks(rules: readonly RuleId[], problem: string): Violation {
  return { rules, origin: originOf(rules), problem }
}

/** Holds a value against its schema. */
export function judge(
  validate: Validator,
  value: unknown,
  rules: readonly RuleId[],
  what: string,
): readonly Violation[] {
  if (validate(value)) return []
  const [first] = validate.errors ?? []
  const problem = `${what} is not as the contract says: ${first?.instancePath || 'it'} ${first?.message}`
  return [breaks(rules, problem)]
}

/** JSON, or undefined for what is none. */
export function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
