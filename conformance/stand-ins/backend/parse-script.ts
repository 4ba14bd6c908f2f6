import { behaviourChecks } from './behaviour-checks.ts'
import { type Check, flag, listOf, name, object, oneOf, whole } from './checks.ts'
import { operations, type Rule, type Script } from './script.ts'

/** A script that cannot be played, with every reason. */
export class ScriptError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`This script cannot be played: ${problems.join('; ')}.`)
    this.problems = problems
  }
}

/** Rules of one script, ours: more than any scenario has running beside others. */
export const MAX_RULES = 1_000

const rule: Record<keyof Rule, Check> = {
  ...behaviourChecks,
  name: (value, path) =>
    typeof value === 'string' && /^[\w.-]+$/.test(value)
      ? []
      : [`${path} must be letters, digits, _, . and -`],
  model: name,
  marker: name,
  operation: oneOf(operations),
  times: whole(1, Number.MAX_SAFE_INTEGER),
}

const script: Record<keyof Script, Check> = {
  rules: listOf(object(rule), MAX_RULES),
  refuseConnections: flag,
}

/** Reads a script or throws a `ScriptError` with all that is wrong in it. */
export function parseScript(value: unknown): Script {
  const problems = object(script)(value, '')
  if (problems.length > 0) throw new ScriptError(problems)
  return value as Script
}
