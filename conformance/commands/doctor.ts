import { visible, visibleJson } from '#base/foreign-text.ts'
import { discover } from '../engine/discover.ts'
import { createHooks } from '../engine/hooks.ts'
import { findObstacle, firstObstacle } from '../engine/needs.ts'
import type { Redactor } from '../engine/redact.ts'
import type { Scenario } from '../engine/scenario.ts'
import { loadTarget, type Target } from '../engine/target.ts'
import { examine, type Finding } from './examine.ts'
import { EXIT } from './exit.ts'
import { mismatchOf } from './preflight.ts'
import { redactorOf } from './secrets.ts'

/** What `conformance doctor` takes. */
export interface DoctorOptions {
  readonly target: string
  readonly json?: true
}

/** `conformance doctor`: whether a target can be judged, and what of the suite it leaves out. */
export async function doctor({ target: file, json }: DoctorOptions): Promise<void> {
  const target = loadTarget(file, process.env)
  const redactor = redactorOf(target)
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const found = await examine(target)
  // Where nothing answers there is nothing more to ask.
  const asked = found.every(({ isGood }) => isGood) ? [await askFirst(target, scenarios, redactor)] : []
  const findings = [...found, ...asked].map((finding) => ({
    ...finding,
    detail: redactor.redact(finding.detail),
  }))
  const missing = missingNeeds(scenarios, target)
  const isReady = findings.every(({ isGood }) => isGood)
  if (json) process.stdout.write(`${visibleJson(JSON.stringify({ findings, missing }, null, 2))}\n`)
  else {
    for (const { what, isGood, detail } of findings)
      console.log(visible(`${isGood ? 'ok   ' : 'WRONG'} ${what}: ${detail}`))
    for (const { reason, scenarios: count } of missing)
      console.log(visible(`      ${count} ${count === 1 ? 'scenario' : 'scenarios'} cannot run: ${reason}`))
    console.log(lastLine(isReady, scenarios, target))
  }
  process.exitCode = isReady ? EXIT.conformant : EXIT.error
}

/** Whether it is the router of the file. */
async function askFirst(
  target: Target,
  scenarios: readonly Scenario[],
  { add: tellSecret }: Redactor,
): Promise<Finding> {
  const preflight = { target, hooks: createHooks(target.hooks), scenarios, seed: Date.now(), tellSecret }
  const mismatch = await mismatchOf(preflight)
  const what = 'the first requests'
  return { what, isGood: mismatch === undefined, detail: mismatch ?? 'are answered as the file says' }
}

/** What a run would do now; those that the product does not claim are not missed. */
function lastLine(isReady: boolean, scenarios: readonly Scenario[], target: Target): string {
  if (!isReady) return '\nNot ready: what is WRONG above has to be mended before a run can say anything.'
  const own = scenarios.filter(({ subjects }) => subjects.some((one) => target.profiles.includes(one)))
  const ready = own.filter(({ needs }) => firstObstacle(needs, target) === undefined)
  return `\nReady: ${ready.length} of ${own.length} scenarios will run.`
}

/** Why scenarios cannot run at this target, and how many that concerns. */
function missingNeeds(
  scenarios: readonly Scenario[],
  target: Target,
): readonly { reason: string; scenarios: number }[] {
  // What shows a feature is not missing where that is not claimed.
  const own = scenarios.filter(({ subjects }) => subjects.some((one) => target.profiles.includes(one)))
  const reasons = own.flatMap(({ needs }) => {
    const first = firstObstacle(needs, target)
    if (first === undefined || first.verdict === 'not-supported') return first?.reason ?? []
    return [...new Set(needs.flatMap((need) => findObstacle(need, target)?.reason ?? []))]
  })
  const counted = Map.groupBy(reasons, (reason) => reason)
  return [...counted]
    .map(([reason, all]) => ({ reason, scenarios: all.length }))
    .sort((one, other) => other.scenarios - one.scenarios)
}
