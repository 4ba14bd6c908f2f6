import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from '../../conformance/engine/scenario.ts'
import type { PlantedDeployment } from './deployment.ts'
import type { LiveFault } from './fault.ts'
import { type TrialBench, tryScenarios } from './trial.ts'

/** Which faults a scenario gets to: those whose switches were asked for while it ran with none of them live. */
export interface Reach {
  /** What comes round by itself while nobody asks for anything; it can matter to every scenario. */
  readonly atRest: readonly string[]
  /** By scenarios. */
  readonly of: Readonly<Record<string, readonly string[]>>
}

/** Longer than anything that comes round by itself at the reference: a poll, a signing (ours). */
const REST_MS = 8_000

/**
 * Runs each scenario by itself, in all places where faults are shown, and sees which switches are asked for. Where none of
 * the programs has asked for that of a fault, all of them would have done the same with it live: nothing else in them is
 * another.
 */
export async function findReach(
  { watch }: PlantedDeployment,
  scenarios: readonly Scenario[],
  places: ReadonlySet<LiveFault['at']>,
  bench: () => TrialBench,
  onWatched: (place: number) => void,
): Promise<Reach> {
  const tryIn = async (scenario: Scenario) => {
    for (const at of places) {
      // What is run through the proxy is run at the router before.
      const isSeenAnyhow = at === undefined && places.has('proxy') && scenario.subjects.includes('proxy')
      if (!isSeenAnyhow) await tryScenarios([scenario], bench(), at)
    }
  }
  const { reached: atRest } = await watch(() => sleep(REST_MS))
  const of: Record<string, readonly string[]> = {}
  for (const [place, scenario] of scenarios.entries()) {
    const { reached } = await watch(() => tryIn(scenario))
    of[scenario.id] = [...reached].toSorted()
    onWatched(place + 1)
  }
  return { atRest: [...atRest].toSorted(), of }
}

/** The scenarios to which a fault can matter. */
export function reaching<S extends Pick<Scenario, 'id'>>(
  fault: string,
  scenarios: readonly S[],
  reach: Reach,
): readonly S[] {
  if (reach.atRest.includes(fault)) return scenarios
  return scenarios.filter(({ id }) => reach.of[id]?.includes(fault) ?? true)
}
