import { performance } from 'node:perf_hooks'
import { overexcused, undemonstrated } from './demanded.ts'
import type { Attempted, Examiner } from './examiner.ts'
import type { LiveFault } from './fault.ts'
import { IN_VAIN } from './long.ts'
import { type Reach, reaching } from './reach.ts'
import type { Judgement } from './trial.ts'

/** What a self-test is told. */
export interface SelftestOptions {
  /** Each has a deployment of its own; they share the work. */
  readonly examiners: readonly Examiner[]
  readonly faults: readonly LiveFault[]
  /**
   * Runs for each fault every scenario that gets to it, in place of those that it names: all of what it breaks is seen.
   */
  readonly isFull: boolean
  /** Whether those that take long are among them (long.ts). */
  readonly withLong: boolean
  /** Which scenarios are run for faults that do not name them. */
  readonly isAmong: (scenario: string) => boolean
  /** Gives what is known already of who gets to which fault in these places, or has it found. */
  readonly keepReach: (places: ReadonlySet<LiveFault['at']>, find: () => Promise<Reach>) => Promise<Reach>
  readonly onWatched: (count: number, total: number) => void
  readonly onTried: (tried: Tried, count: number) => void
  /** When all have been tried, and the scenarios are run with none live. */
  readonly onRest: () => void
}

/** One fault and how it came off. */
export interface Tried extends Attempted {
  readonly fault: LiveFault
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

/** Tries faults, as many at once as there are examiners, and then their deployments as they are. */
export async function selftest(options: SelftestOptions): Promise<Selftest> {
  const { examiners, faults, isFull, withLong, isAmong, keepReach, onWatched, onTried, onRest } = options
  const startedMs = performance.now()
  const quick = await examiners[0]!.quick(withLong)
  const others = quick.filter(isAmong)
  const isWhole = isFull && others.length === quick.length
  const places = new Set(faults.map(({ at }) => at))
  const reach = isFull
    ? await keepReach(places, () => findReach(examiners, others, onWatched))
    : { atRest: [], of: Object.fromEntries(others.map((id) => [id, []])) }
  const reachedOf = new Map(faults.map(({ id }) => [id, reaching(id, others, reach)]))
  // Those that most scenarios get to begin, so that nobody waits for them alone.
  const costly = faults.toSorted(
    (one, other) => reachedOf.get(other.id)!.length - reachedOf.get(one.id)!.length,
  )
  const found = new Map<string, Tried>()
  const waiting = isFull ? costly.filter(({ id }) => IN_VAIN.has(id)) : []
  const busy = costly.filter((fault) => !waiting.includes(fault))
  await share(waiting, busy, examiners, async (fault, examiner) => {
    const attempted = await examiner.attempt(fault.id, reachedOf.get(fault.id)!, isWhole)
    const tried = { fault, ...attempted }
    found.set(fault.id, tried)
    onTried(tried, found.size)
  })
  // What fails at the reference anyway, or was damaged by a fault for good, would have been laid at the door of others.
  onRest()
  const atRest = await Promise.all(examiners.map((examiner) => examiner.settle()))
  return {
    atRest: atRest.flat(),
    tried: faults.map(({ id }) => found.get(id)!),
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

async function findReach(
  examiners: readonly Examiner[],
  scenarios: readonly string[],
  onWatched: SelftestOptions['onWatched'],
): Promise<Reach> {
  const atRest = await examiners[0]!.rest()
  const found = new Map<string, readonly string[]>()
  await share([], scenarios, examiners, async (id, examiner) => {
    found.set(id, await examiner.watch(id))
    onWatched(found.size, scenarios.length)
  })
  return { atRest, of: Object.fromEntries(scenarios.map((id) => [id, found.get(id)!])) }
}

/**
 * Each takes what comes next as soon as it has done with what it had. The first begins with those that mostly wait, which
 * leaves the machine to the others; those take what is left of them in the end.
 */
async function share<Item>(
  waiting: readonly Item[],
  busy: readonly Item[],
  examiners: readonly Examiner[],
  act: (item: Item, examiner: Examiner) => Promise<void>,
): Promise<void> {
  const queues = [waiting.values(), busy.values()]
  await Promise.all(
    examiners.map(async (examiner, place) => {
      for (const queue of place === 0 ? queues : queues.toReversed())
        for (const item of queue) await act(item, examiner)
    }),
  )
}
