import { setTimeout as sleep } from 'node:timers/promises'
import type { RuleId } from '#contract/rules'
import { discover } from '../../conformance/engine/discover.ts'
import { createHooks } from '../../conformance/engine/hooks.ts'
import { addressFor } from '../../conformance/engine/invitations.ts'
import type { Scenario } from '../../conformance/engine/scenario.ts'
import { isSlowAt } from '../../conformance/engine/suite.ts'
import { loadTarget, type Subject, type Target } from '../../conformance/engine/target.ts'
import type { PlantedDeployment } from './deployment.ts'
import type { LiveFault } from './fault.ts'
import { LONG } from './long.ts'
import { restFaults, watchScenario } from './reach.ts'
import { restore } from './restore.ts'
import { type Judgement, judgeTrial, type Trial, type TrialBench, tryScenarios } from './trial.ts'

/** What an examiner is told. */
export interface ExaminerOptions {
  readonly deployment: PlantedDeployment
  /** The faults that may be tried. */
  readonly faults: readonly LiveFault[]
  /** Scenarios that run at once. */
  readonly jobs: number
  readonly seed: number
}

/** One fault and how it came off. */
export interface Attempted extends Judgement {
  readonly trial: Trial
}

/** Runs scenarios at one deployment, with one fault live or with none. */
export interface Examiner {
  /** The scenarios that neither wait nor take long; with `withLong`, all but those that wait long by design. */
  quick(withLong: boolean): Promise<readonly string[]>
  /** The faults whose switches are asked for while nobody asks for anything. */
  rest(): Promise<readonly string[]>
  /** The faults whose switches a scenario has any program ask for. */
  watch(scenario: string): Promise<readonly string[]>
  /** Tries a fault by the scenarios that it names and by these; `isWhole`: they are all that get to it. */
  attempt(fault: string, reached: readonly string[], isWhole: boolean): Promise<Attempted>
  /** Runs the scenarios of all that was tried here with none live; what fails, a line each. */
  settle(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** No allowed time is as long as for the judgement of a product: most of what a fault holds up never comes (ours). */
const SLACK = 1.5
/** The longest of those that do not wait long by design takes 16 s (ours). */
const SCENARIO_MS = 25_000

/** A busy machine breaks a few rules, not so many (ours). */
const MANY = 12

/** Examines a deployment, which it stops in the end. */
export async function createExaminer(options: ExaminerOptions): Promise<Examiner> {
  const { deployment, faults, jobs, seed } = options
  const target = loadTarget(deployment.targetFile, process.env)
  const hooks = createHooks(target.hooks)
  const all = (await discover()).map(({ scenario }) => scenario)
  const rulesOf = new Map(all.map(({ id, rules }) => [id, rules]))
  const places = new Set(faults.map(({ at }) => at))
  const tried: LiveFault[] = []
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
  const tryLive = async (fault: LiveFault, given: TrialBench, ids: Iterable<string>): Promise<Attempted> => {
    const scenarios = pick(all, new Set(ids))
    const trial = await live(deployment, fault, () => tryScenarios(scenarios, given, fault.at))
    // What it has left would be laid at the door of the next.
    await restore(target, hooks)
    return { trial, ...judgeTrial(fault, trial) }
  }

  return {
    // Those that take long cost more than all others together: they are run for faults that name them.
    quick: async (withLong) =>
      all.flatMap((one) => (isSlowAt(one, target) || (!withLong && LONG.has(one.id)) ? [] : [one.id])),
    rest: () => restFaults(deployment),
    watch: (id) => watchScenario(deployment, pick(all, new Set([id]))[0]!, places, bench),
    async attempt(id, reached, isWhole) {
      const fault = faults.find((one) => one.id === id)
      if (fault === undefined) throw new Error(`There is no fault ${id}.`)
      tried.push(fault)
      const asked = [...fault.expectKilledBy, ...reached]
      const hasty = await tryLive(fault, hurried(), asked)
      // Where a busy machine took all of the time, nothing was seen: whoever survives is tried with a product's own time.
      const sure = hasty.isKilled ? hasty : await tryLive(fault, bench(), fault.expectKilledBy)
      const showers = (rule: RuleId) => asked.filter((one) => rulesOf.get(one)?.includes(rule))
      // Where some are left out, what they would have shown is not missed.
      const seen = isWhole ? hasty : { ...hasty, unbroken: [] }
      const alone = (given: () => TrialBench) => (ids: readonly string[]) =>
        tryLive(fault, { ...given(), jobs: 1 }, ids)
      // What is no more than that is soon told; a product's own time is given to the rest, much of which never comes.
      const soon = await exactness(seen, showers, alone(hurried))
      const exact = await exactness({ ...seen, ...soon }, showers, alone(bench))
      // All that it breaks besides shows where nobody is left out.
      const broken = new Map([...hasty.trial.broken, ...sure.trial.broken])
      return { ...sure, ...exact, trial: { ...sure.trial, broken } }
    },
    async settle() {
      const found: string[] = []
      for (const [at, ids] of placesOf(tried)) {
        const { failed } = await tryScenarios(pick(all, ids), bench(), at)
        // What a busy machine held up passes when it is alone; what a fault has damaged does not.
        const { problems } = await tryScenarios(pick(all, failed), { ...bench(), jobs: 1 }, at)
        found.push(...[...problems].map(([id, problem]) => `${id}: ${problem.split('\n')[0]}`))
      }
      return found
    },
    stop: deployment.stop,
  }
}

/**
 * What a busy machine has broken beside a fault breaks no second time, with each of its scenarios alone, and what it has hidden
 * shows then: a scenario that another one has kept from its point tells nothing. `showers` are the scenarios of a rule.
 */
async function exactness(
  { trial, beyond, unbroken }: Attempted,
  showers: (rule: RuleId) => readonly string[],
  attempt: (ids: readonly string[]) => Promise<Attempted>,
): Promise<Pick<Attempted, 'beyond' | 'unbroken'>> {
  if (beyond.length + unbroken.length === 0 || beyond.length > MANY) return { beyond, unbroken }
  const broke = beyond.flatMap((rule) => trial.broken.get(rule)?.scenarios ?? [])
  const again = await attempt([...broke, ...unbroken.flatMap(showers)])
  const isBroken = (rule: RuleId) => again.trial.broken.has(rule)
  return { beyond: beyond.filter(isBroken), unbroken: unbroken.filter((rule) => !isBroken(rule)) }
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

/** The scenarios of faults, by where they are run. */
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
