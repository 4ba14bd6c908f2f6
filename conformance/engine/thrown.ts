import type { ScenarioVerdict } from '#contract/models'
import { AssertionError } from './assert.ts'

/** What this target cannot show, as a scenario finds out when it runs; what it has shown until then stands. */
export class NotTestable extends Error {
  override readonly name = 'NotTestable'
}

/** What came between a scenario and its end without a mistake in either: told in its own words, and not with where it happened. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted'
}

/** What something thrown says of a scenario. */
export interface Thrown {
  readonly verdict: Extract<ScenarioVerdict, 'fail' | 'error' | 'not-testable'>
  readonly problem: string
}

/** How long a problem may be (ours). */
const MAX_PROBLEM = 4_000

/** A broken assertion is the product's failure, and `NotTestable` nobody's; anything else is the suite's own error, told with where it happened unless it was interrupted. */
export function judgeThrown(thrown: unknown): Thrown {
  if (thrown instanceof NotTestable) return { verdict: 'not-testable', problem: thrown.message }
  const isProducts = thrown instanceof AssertionError
  const text = isProducts ? thrown.message.trim() : describe(thrown)
  return { verdict: isProducts ? 'fail' : 'error', problem: text.slice(0, MAX_PROBLEM) }
}

/** Whatever was thrown, as text; this never throws, whatever it is. */
function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Interrupted) return thrown.message
    return String((thrown instanceof Error && thrown.stack) || thrown)
  } catch {
    return 'something was thrown that has no text'
  }
}

/** The worse of two verdicts of a scenario that ran: the suite's own error hides what it says of the product. */
export function worseOf(one: ScenarioVerdict, other: ScenarioVerdict): ScenarioVerdict {
  return RANK.indexOf(other) > RANK.indexOf(one) ? other : one
}

const RANK: readonly ScenarioVerdict[] = ['pass', 'warn', 'not-testable', 'fail', 'error']
