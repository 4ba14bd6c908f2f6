import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { discover } from '../../conformance/engine/discover.ts'
import { createHooks } from '../../conformance/engine/hooks.ts'
import { addressFor } from '../../conformance/engine/invitations.ts'
import type { Scenario } from '../../conformance/engine/scenario.ts'
import { isSlowAt } from '../../conformance/engine/suite.ts'
import { loadTarget, type Subject, type Target } from '../../conformance/engine/target.ts'
import { overexcused, undemonstrated } from './demanded.ts'
import type { PlantedDeployment } from './deployment.ts'
import type { LiveFault } from './fault.ts'
import { findReach, type Reach, reaching } from './reach.ts'
import { restore } from './restore.ts'
import { type Judgement, judgeTrial, type Trial, type TrialBench, tryScenarios } from './trial.ts'

/** What a self-test is told. */
export interface SelftestOptions {
  readonly deployment: PlantedDeployment
  readonly faults: readonly LiveFault[]
  /** Scenarios that run at once. */
  readonly jobs: number
  readonly seed: number
  /**
   * Runs for each fault every scenario that gets to it, in place of those that it names: all of what it breaks is seen.
   */
  readonly isFull: boolean
  /** Which scenarios are run for faults that do not name them. */
  readonly isAmong: (scenario: Scenario) => boolean
  /** Gives what is known already of who gets to which fault in these places, or has it found. */
  readonly keepReach: (places: ReadonlySet<LiveFault['at']>, find: () => Promise<Reach>) => Promise<Reach>
  readonly onWatched: (place: number, total: number) => void
  readonly onTried: (tried: Tried, place: number) => void
  /** When all have been tried, and the scenarios are run with none live. */
  readonly onRest: () => void
}

/** One fault and how it came off. */
export interface Tried extends Judgement {
  readonly fault: LiveFault
  readonly trial: Trial
}

/** What was found. */
export interface Selftest {
  /** Scenarios that fail at the reference with no fault live, each with what it says; nothing can be told then. */
  readonly atRest: readonly string[]
  readonly tried: readonly Tried[]
  /** Given rules that have no fault, and no reason for it. */
  readonly undemonstrated: readonly string[]
  /** Rules that have a reason to have no fault, and need none. */
  readonly overexcused: readonly string[]
  readonly durationMs: number
}

/** No allowed time is as long as for the judgement of a product: most of what a fault holds up never comes (ours). */
const SLACK = 1.5
const SCENARIO_MS = 15_000

/** Tries faults one after the other, and then the reference as it is. */
export async function selftest(options: SelftestOptions): Promise<Selftest> {
  const { deployment, faults, jobs, seed, isFull, isAmong, keepReach, onWatched, onTried, onRest } = options
  const startedMs = performance.now()
  const target = loadTarget(deployment.targetFile, process.env)
  const hooks = createHooks(target.hooks)
  const all = (await discover()).map(({ scenario }) => scenario)
  // Names come from the seed: no two trials may have the same. Nor may they share an address, whose budget of evidence
  // earlier ones would have used up where they follow each other fast.
  let trials = 0
  const bench = (): TrialBench => ({
    target: from(target, `trial ${trials}`),
    hooks,
    jobs,
    seed: seed + trials++,
    isJudging: true,
    tellSecret: () => {},
  })
  const hurried = (): TrialBench => {
    const usual = bench()
    const slack = Math.min(SLACK, target.slack)
    return { ...usual, target: { ...usual.target, slack }, scenarioMs: SCENARIO_MS }
  }
  const rest = async () => {
    const found: string[] = []
    for (const [at, ids] of placesOf(faults)) {
      const { failed } = await tryScenarios(pick(all, ids), bench(), at)
      // What a busy machine held up passes when it is alone; what a fault has damaged does not.
      const { problems } = await tryScenarios(pick(all, failed), { ...bench(), jobs: 1 }, at)
      found.push(...[...problems].map(([id, problem]) => `${id}: ${problem.split('\n')[0]}`))
    }
    return found
  }
  // Those that wait long by design cost more than all others together: they are run for faults that name them.
  const quick = all.filter((scenario) => !isSlowAt(scenario, target))
  const others = quick.filter(isAmong)
  const isWhole = isFull && others.length === quick.length
  const places = new Set(faults.map(({ at }) => at))
  const find = () => findReach(deployment, others, places, bench, (place) => onWatched(place, others.length))
  const reach = isFull ? await keepReach(places, find) : undefined
  const tried: Tried[] = []
  for (const [place, fault] of faults.entries()) {
    const expected = new Set(fault.expectKilledBy)
    const reached = reach ? reaching(fault.id, others, reach).map(({ id }) => id) : []
    const attempt = async (given: TrialBench, ids: Iterable<string>): Promise<Tried> => {
      const scenarios = pick(all, new Set(ids))
      const trial = await live(deployment, fault, () => tryScenarios(scenarios, given, fault.at))
      // What it has left would be laid at the door of the next.
      await restore(target, hooks)
      return { fault, trial, ...judgeTrial(fault, trial) }
    }
    const hasty = await attempt(hurried(), [...expected, ...reached])
    // Where a busy machine took all of the time, nothing was seen: whoever survives is tried with a product's own time.
    const sure = hasty.isKilled ? hasty : await attempt(bench(), expected)
    const exact = await exactness(hasty, (ids) => attempt({ ...bench(), jobs: 1 }, ids))
    // All that it breaks besides shows where nobody is left out.
    const broken = new Map([...hasty.trial.broken, ...sure.trial.broken])
    const one = { ...sure, ...exact, trial: { ...sure.trial, broken }, ...(!isWhole && { unbroken: [] }) }
    tried.push(one)
    onTried(one, place + 1)
  }
  // What fails at the reference anyway, or was damaged by a fault for good, would have been laid at the door of others.
  onRest()
  const atRest = await rest()
  return {
    atRest,
    tried,
    undemonstrated: undemonstrated(),
    overexcused: overexcused(),
    durationMs: Math.round(performance.now() - startedMs),
  }
}

/** Whether the suite has proved itself: all are killed, and exactly. */
export function isProved({ atRest, tried, undemonstrated, overexcused }: Selftest): boolean {
  const isClean = atRest.length + undemonstrated.length + overexcused.length === 0
  return isClean && tried.every((one) => one.isKilled && isExact(one))
}

/** Whether a kill is by checks of just the rules that the fault says to break. */
export function isExact({ beyond, unbroken }: Judgement): boolean {
  return beyond.length + unbroken.length === 0
}

/** A busy machine breaks a few rules, not so many (ours). */
const MANY = 12

/** What a busy machine has broken beside a fault breaks no second time, with each of its scenarios alone. */
async function exactness(
  { trial, beyond, unbroken }: Tried,
  attempt: (ids: readonly string[]) => Promise<Tried>,
): Promise<Pick<Tried, 'beyond' | 'unbroken'>> {
  if (beyond.length === 0 || beyond.length > MANY) return { beyond, unbroken }
  const again = await attempt(beyond.flatMap((rule) => trial.broken.get(rule)?.scenarios ?? []))
  return { beyond: beyond.filter((rule) => again.trial.broken.has(rule)), unbroken }
}

async function live<T>(
  { turn }: PlantedDeployment,
  { id, livesMs = 0 }: LiveFault,
  act: () => Promise<T>,
): Promise<T> {
  await turn(id)
  try {
    await sleep(livesMs)
    return await act()
  } finally {
    await turn(undefined)
  }
}

/** The same target, asked from the address of a trial. */
function from(target: Target, trial: string): Target {
  return { ...target, headers: { ...target.headers, 'x-forwarded-for': addressFor(trial) } }
}

/** The scenarios of all faults, by where they are run. */
function placesOf(faults: readonly LiveFault[]): ReadonlyMap<Subject | undefined, ReadonlySet<string>> {
  const places = new Map<Subject | undefined, Set<string>>()
  for (const { at, expectKilledBy } of faults) {
    const ids = places.get(at) ?? new Set()
    for (const id of expectKilledBy) ids.add(id)
    places.set(at, ids)
  }
  return places
}

function pick(all: readonly Scenario[], ids: ReadonlySet<string>): readonly Scenario[] {
  return all.filter(({ id }) => ids.has(id))
}
