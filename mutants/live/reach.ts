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

/** The faults whose switches are asked for while nobody asks for anything. */
export async function restFaults({ watch }: PlantedDeployment): Promise<readonly string[]> {
  const { reached } = await watch(() => sleep(REST_MS))
  return [...reached].toSorted()
}

/**
 * Runs a scenario by itself, in all places where faults are shown, and gives the faults whose switches are asked for. Where
 * none of the programs has asked for that of a fault, all of them would have done the same with it live: nothing else in
 * them is another.
 */
export async function watchScenario(
  { watch }: PlantedDeployment,
  scenario: Scenario,
  places: ReadonlySet<LiveFault['at']>,
  bench: () => TrialBench,
): Promise<readonly string[]> {
  const { reached } = await watch(async () => {
    for (const at of places) {
      // What is run through the proxy is run at the router before.
      const isSeenAnyhow = at === undefined && places.has('proxy') && scenario.subjects.includes('proxy')
      if (!isSeenAnyhow) await tryScenarios([scenario], bench(), at)
    }
  })
  return [...reached].toSorted()
}

/** The scenarios to which a fault can matter. */
export function reaching(fault: string, scenarios: readonly string[], reach: Reach): readonly string[] {
  if (reach.atRest.includes(fault)) return scenarios
  return scenarios.filter((id) => reach.of[id]?.includes(fault) ?? true)
}
