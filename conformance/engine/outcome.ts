import type { ScenarioVerdict } from '#contract/models'
import type { RuleId } from '#contract/rules'
import type { Exchange } from './http/exchange.ts'
import type { Scenario } from './scenario.ts'
import type { Subject } from './target.ts'
import { judgeThrown } from './thrown.ts'
import type { Violation } from './universal/violation.ts'

/** What came of comparing a run through the proxy with the router's. */
export interface Comparison {
  readonly isSame: boolean
  /** The verdict on the scenario's own assertions, which a difference does not touch. */
  readonly own: ScenarioVerdict
}

/** What the assertions of a scenario have shown. */
export interface Shown {
  /** How many assertions of a rule held. */
  readonly held: ReadonlyMap<RuleId, number>
  /** What failed, and the rules that it breaks. */
  readonly broken: readonly { readonly rules: readonly RuleId[]; readonly problem: string }[]
}

/** What was found of one scenario at one subject. */
export interface Outcome {
  readonly scenario: Scenario
  readonly subject: Subject
  readonly verdict: ScenarioVerdict
  /** Left out where nothing was compared. */
  readonly comparison?: Comparison
  /** Left out where it did not run. */
  readonly shown?: Shown
  /** What the universal checks found in its exchanges and its books; it does not touch the verdict. */
  readonly violations?: readonly Violation[]
  /** Why it is no pass, a line each. */
  readonly problems: readonly string[]
  /** Every request that was made, with its answer. */
  readonly exchanges: readonly Exchange[]
  readonly durationMs: number
}

/** The outcome of a scenario that did not run. */
export function notRun(
  scenario: Scenario,
  subject: Subject,
  verdict: Extract<ScenarioVerdict, 'not-supported' | 'not-testable' | 'disabled'>,
  reason: string,
): Outcome {
  return { scenario, subject, verdict, problems: [reason], exchanges: [], durationMs: 0 }
}

/** The outcome of a scenario that could not be run, or not be judged: an error of the suite. */
export function failed(scenario: Scenario, subject: Subject, thrown: unknown): Outcome {
  const problems = [judgeThrown(thrown).problem]
  return { scenario, subject, verdict: 'error', problems, exchanges: [], durationMs: 0 }
}

/** Whoever answers at length to everything would fill the memory with what no report shows (ours). */
const MAX_KEPT_BYTES = 64 * 1024

/** So much of them is kept. */
export const KEPT_BYTES = 16 * 1024

/** An outcome that can be kept until the end of a run: of very long answers there is the beginning. */
export function shortened(outcome: Outcome): Outcome {
  const exchanges = outcome.exchanges.map(shortenedExchange)
  const violations = outcome.violations?.map(({ exchange, ...one }) => ({
    ...one,
    ...(exchange && { exchange: shortenedExchange(exchange) }),
  }))
  return { ...outcome, exchanges, ...(violations && { violations }) }
}

function shortenedExchange(exchange: Exchange): Exchange {
  if (exchange.body.length <= MAX_KEPT_BYTES) return exchange
  return { ...exchange, reads: [], body: Buffer.from(exchange.body.subarray(0, KEPT_BYTES)) }
}
