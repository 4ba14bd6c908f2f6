import { visible, visibleJson } from '#base/foreign-text.ts'
import { discover } from '../engine/discover.ts'
import { findObstacle, firstObstacle } from '../engine/needs.ts'
import { createRedactor } from '../engine/redact.ts'
import type { Scenario } from '../engine/scenario.ts'
import { loadTarget, type Target } from '../engine/target.ts'
import { examine } from './examine.ts'
import { EXIT } from './exit.ts'
import { mistakeIn } from './preflight.ts'

/** What `conformance doctor` takes. */
export interface DoctorOptions {
  readonly target: string
  readonly json?: true
}

/** `conformance doctor`: whether a target can be judged, and what of the suite it leaves out. */
export async function doctor({ target: file, json }: DoctorOptions): Promise<void> {
  const target = loadTarget(file, process.env)
  const redactor = createRedactor(Object.values(target.keys))
  const mistake = await mistakeIn(target, redactor.add)
  const looked = mistake ? [{ what: 'the target file', isGood: false, detail: mistake.message }] : []
  const findings = [...(await examine(target)), ...looked].map((finding) => ({
    ...finding,
    detail: redactor.redact(finding.detail),
  }))
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const missing = missingNeeds(scenarios, target)
  if (json) process.stdout.write(`${visibleJson(JSON.stringify({ findings, missing }, null, 2))}\n`)
  else {
    for (const { what, isGood, detail } of findings)
      console.log(visible(`${isGood ? 'ok   ' : 'WRONG'} ${what}: ${detail}`))
    for (const { reason, scenarios: count } of missing)
      console.log(visible(`      ${scenariosOf(count)} cannot run: ${reason}`))
    const mayRun = scenarios.filter((one) => isRunnable(one, target)).length
    console.log(`      ${scenariosOf(mayRun)} of ${scenarios.length} can run`)
  }
  process.exitCode = findings.every(({ isGood }) => isGood) ? EXIT.conformant : EXIT.error
}

/** Why scenarios cannot run at this target, and how many that concerns. */
function missingNeeds(
  scenarios: readonly Scenario[],
  target: Target,
): readonly { reason: string; scenarios: number }[] {
  // What shows a feature is not missing where that is not claimed.
  const reasons = scenarios.flatMap(({ needs }) => {
    const first = firstObstacle(needs, target)
    if (first === undefined || first.verdict === 'not-supported') return first?.reason ?? []
    return [...new Set(needs.flatMap((need) => findObstacle(need, target)?.reason ?? []))]
  })
  const counted = Map.groupBy(reasons, (reason) => reason)
  return [...counted]
    .map(([reason, all]) => ({ reason, scenarios: all.length }))
    .sort((one, other) => other.scenarios - one.scenarios)
}

function isRunnable({ subjects, needs }: Scenario, target: Target): boolean {
  return subjects.some((one) => target.profiles.includes(one)) && firstObstacle(needs, target) === undefined
}

function scenariosOf(count: number): string {
  return count === 1 ? '1 scenario' : `${count} scenarios`
}
