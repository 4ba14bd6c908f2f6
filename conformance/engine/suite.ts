import { type Attempt, attempt, type Bench } from './attempt.ts'
import { compareTraces } from './differential.ts'
import { findObstacle } from './needs.ts'
import { notRun, type Outcome } from './outcome.ts'
import type { Scenario } from './scenario.ts'
import type { Subject, Target } from './target.ts'

/** A run of the suite. */
export interface SuiteOptions extends Bench {
  readonly scenarios: readonly Scenario[]
  /** Which of the target's profiles are judged. */
  readonly profiles: readonly Subject[]
  readonly jobs: number
  /** Whether scenarios run that wait long by design. */
  readonly isSlow: boolean
  readonly onOutcome?: (outcome: Outcome) => void
}

/** Scenarios that wait longer than this by design are slow (ours). */
const SLOW_MS = 10_000

/** Runs scenarios, some at once, each at the router and again through the proxy. Outcomes are in the scenarios' order. */
export async function runSuite(options: SuiteOptions): Promise<readonly Outcome[]> {
  const { scenarios, target, jobs, onOutcome = () => {} } = options
  const outcomes: Outcome[][] = []
  const work = async (queue: Iterable<[number, Scenario]>) => {
    for (const [index, scenario] of queue) {
      const found = await judge(scenario, options)
      outcomes[index] = found
      for (const outcome of found) onOutcome(outcome)
    }
  }
  const entries = [...scenarios.entries()]
  // Those that wait longest begin, so that nobody waits for them alone.
  const together = entries
    .filter(([, { isExclusive }]) => !isExclusive)
    .sort(([, one], [, other]) => other.waitsMs(target.limits) - one.waitsMs(target.limits))
    .values()
  await Promise.all(Array.from({ length: jobs }, () => work(together)))
  await work(entries.filter(([, { isExclusive }]) => isExclusive))
  return outcomes.flat()
}

/** Every outcome of one scenario. The router's run is what the proxy's is compared with. */
async function judge(scenario: Scenario, options: SuiteOptions): Promise<Outcome[]> {
  const { profiles, target } = options
  const outcomes: Outcome[] = []
  let router: Attempt | undefined
  for (const subject of scenario.subjects) {
    const isWanted = profiles.includes(subject)
    const isReference =
      subject === 'router' && profiles.includes('proxy') && scenario.subjects.includes('proxy')
    if (!isWanted && !isReference) continue
    const obstacle = obstacleTo(scenario, subject, target, options.isSlow)
    if (obstacle) {
      if (isWanted) outcomes.push(obstacle)
      continue
    }
    const made = await attempt(scenario, subject, options)
    if (subject === 'router') router = made
    if (isWanted) outcomes.push(subject === 'proxy' ? compared(router, made) : made.outcome)
  }
  return outcomes
}

function obstacleTo(
  scenario: Scenario,
  subject: Subject,
  target: Target,
  isSlow: boolean,
): Outcome | undefined {
  for (const need of scenario.needs) {
    const obstacle = findObstacle(need, target)
    if (obstacle) return notRun(scenario, subject, obstacle.verdict, obstacle.reason)
  }
  const waitsMs = scenario.waitsMs(target.limits)
  if (waitsMs <= SLOW_MS || isSlow) return undefined
  return notRun(scenario, subject, 'disabled', `it waits ${waitsMs} ms at this target; run it with --slow`)
}

/**
 * "Same paths and bodies": what the proxy gives must be what the router gave. The router's run is the measure only where
 * it passed; of a run that failed through the proxy, what was answered until then is compared, and nothing more is told.
 */
function compared(router: Attempt | undefined, { outcome, trace }: Attempt): Outcome {
  if (!outcome.scenario.isCompared || !router || !isKept(router.outcome)) return outcome
  const own = outcome.verdict
  if (isKept(outcome)) {
    const differences = compareTraces(router.trace, trace)
    if (differences.length === 0) return { ...outcome, comparison: { isSame: true, own } }
    return { ...outcome, verdict: 'fail', comparison: { isSame: false, own }, problems: differences }
  }
  if (own !== 'fail') return outcome
  const common = router.trace.exchanges.slice(0, trace.exchanges.length)
  const differences = compareTraces({ exchanges: common, books: [] }, { ...trace, books: [] })
  if (differences.length === 0) return outcome
  return { ...outcome, comparison: { isSame: false, own }, problems: [...outcome.problems, ...differences] }
}

function isKept({ verdict }: Outcome): boolean {
  return verdict === 'pass' || verdict === 'warn'
}
