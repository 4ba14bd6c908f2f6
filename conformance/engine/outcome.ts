import type { ScenarioVerdict } from '#contract/models'
import type { Exchange } from './http/exchange.ts'
import type { Scenario } from './scenario.ts'
import type { Subject } from './target.ts'

/** What came of comparing a run through the proxy with the router's. */
export interface Comparison {
  readonly isSame: boolean
  /** The verdict on the scenario's own assertions, which a difference does not touch. */
  readonly own: ScenarioVerdict
}

/** What was found of one scenario at one subject. */
export interface Outcome {
  readonly scenario: Scenario
  readonly subject: Subject
  readonly verdict: ScenarioVerdict
  /** Left out where nothing was compared. */
  readonly comparison?: Comparison
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
