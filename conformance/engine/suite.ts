import { type Attempt, attempt, type Bench } from './attempt.ts'
import { brokenBy } from './checks.ts'
import { compareTraces } from './differential.ts'
import { firstObstacle } from './needs.ts'
import { failed, notRun, type Outcome, shortened } from './outcome.ts'
import { createRandom } from './random.ts'
import type { Scenario } from './scenario.ts'
import { catchStrays } from './strays.ts'
import type { Subject, Target } from './target.ts'
import { judgeThrown, worseOf } from './thrown.ts'

/** A run of the suite. */
export interface SuiteOptions extends Bench {
  readonly scenarios: readonly Scenario[]
  /** Which of the target's profiles are judged. */
  readonly profiles: readonly Subject[]
  readonly jobs: number
  /** Whether scenarios run that wait long by design. */
  readonly isSlow: boolean
  /** Where the order in which they begin comes from; those that wait longest begin when it is left out. */
  readonly order?: number
  readonly onOutcome?: (outcome: Outcome) => void
  /** Hears what was thrown by no scenario. */
  readonly onFault?: (thrown: unknown) => void
}

/** Scenarios that wait longer than this by design are slow (ours). */
const SLOW_MS = 10_000

/** An outcome, and what the work of its scenario throws after its end. */
interface Found {
  readonly outcome: Outcome
  readonly late: readonly unknown[]
}

/**
 * Runs scenarios, some at once, each at the router and again through the proxy. Outcomes are in the scenarios' order.
 * Nothing that a product does ends it: what a scenario throws, wherever that is, is its outcome.
 */
export async function runSuite(options: SuiteOptions): Promise<readonly Outcome[]> {
  const { onOutcome = () => {}, onFault = () => {} } = options
  const found: Found[][] = []
  const tell = (outcome: Outcome) => {
    try {
      onOutcome(outcome)
    } catch (thrown) {
      onFault(thrown)
    }
  }
  const work = async (queue: Iterable<[number, Scenario]>) => {
    for (const [index, scenario] of queue) {
      const own = await judge(scenario, options)
      found[index] = own
      for (const { outcome } of own) tell(outcome)
    }
  }
  const release = catchStrays(onFault)
  try {
    await workAll(options, work)
  } finally {
    release()
  }
  return found.flat().map(withLate)
}

type Work = (queue: Iterable<[number, Scenario]>) => Promise<void>

async function workAll({ scenarios, target, jobs, order }: SuiteOptions, work: Work): Promise<void> {
  const entries = order === undefined ? [...scenarios.entries()] : shuffled([...scenarios.entries()], order)
  const together = entries.filter(([, { isExclusive }]) => !isExclusive)
  // Those that wait longest begin, so that nobody waits for them alone.
  if (order === undefined) together.sort(([, one], [, other]) => waitOf(other, target) - waitOf(one, target))
  const queue = together.values()
  await Promise.all(Array.from({ length: jobs }, () => work(queue)))
  await work(entries.filter(([, { isExclusive }]) => isExclusive))
}

function waitOf({ waitsMs }: Scenario, { limits }: Target): number {
  return waitsMs(limits)
}

function shuffled<T>(items: readonly T[], order: number): readonly T[] {
  const { below } = createRandom(order, 'order')
  const rest = [...items]
  return items.map(() => rest.splice(below(rest.length), 1)[0] as T)
}

/** What came astray after a scenario had its outcome belongs to it all the same. */
function withLate({ outcome, late }: Found): Outcome {
  if (late.length === 0) return outcome
  const thrown = late.map(judgeThrown)
  const verdict = thrown.reduce((worst, one) => worseOf(worst, one.verdict), outcome.verdict)
  const { rules } = outcome.scenario
  const broken = late.flatMap((one, index) =>
    thrown[index]?.verdict === 'fail'
      ? [{ rules: brokenBy(one, rules), problem: thrown[index].problem }]
      : [],
  )
  const { held = new Map(), broken: before = [] } = outcome.shown ?? {}
  const problems = [...outcome.problems, ...thrown.map(({ problem }) => problem)]
  return { ...outcome, verdict, shown: { held, broken: [...before, ...broken] }, problems }
}

/** Every outcome of one scenario. The router's run is what the proxy's is compared with. */
async function judge(scenario: Scenario, options: SuiteOptions): Promise<Found[]> {
  const { profiles, target, stopped } = options
  const found: Found[] = []
  let router: Attempt | undefined
  for (const subject of scenario.subjects) {
    const isWanted = profiles.includes(subject)
    const isReference =
      subject === 'router' && profiles.includes('proxy') && scenario.subjects.includes('proxy')
    if (!isWanted && !isReference) continue
    try {
      stopped?.throwIfAborted()
      const obstacle = obstacleTo(scenario, subject, target, options.isSlow)
      if (obstacle) {
        if (isWanted) found.push({ outcome: obstacle, late: [] })
        continue
      }
      const made = await attempt(scenario, subject, options)
      if (subject === 'router') router = made
      const outcome = subject === 'proxy' ? compared(router, made) : made.outcome
      if (isWanted) found.push({ outcome: shortened(outcome), late: made.late })
    } catch (thrown) {
      if (isWanted) found.push({ outcome: failed(scenario, subject, thrown), late: [] })
    }
  }
  return found
}

function obstacleTo(
  scenario: Scenario,
  subject: Subject,
  target: Target,
  isSlow: boolean,
): Outcome | undefined {
  const obstacle = firstObstacle(scenario.needs, target)
  if (obstacle) return notRun(scenario, subject, obstacle.verdict, obstacle.reason)
  if (isSlow || !isSlowAt(scenario, target)) return undefined
  const waitsMs = waitOf(scenario, target)
  return notRun(scenario, subject, 'disabled', `it waits ${waitsMs} ms at this target; run it with --slow`)
}

/** Whether a scenario waits long by design. */
export function isSlowAt(scenario: Scenario, target: Target): boolean {
  return waitOf(scenario, target) > SLOW_MS
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
  const differences = compareTraces(
    { exchanges: common, books: [], debits: [] },
    { ...trace, books: [], debits: [] },
  )
  if (differences.length === 0) return outcome
  return { ...outcome, comparison: { isSame: false, own }, problems: [...outcome.problems, ...differences] }
}

function isKept({ verdict }: Outcome): boolean {
  return verdict === 'pass' || verdict === 'warn'
}
