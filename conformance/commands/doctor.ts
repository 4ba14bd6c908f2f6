import { createClient } from '../engine/client.ts'
import { discover } from '../engine/discover.ts'
import { createHooks } from '../engine/hooks.ts'
import { findObstacle, type Need } from '../engine/needs.ts'
import { createRedactor } from '../engine/redact.ts'
import type { Scenario } from '../engine/scenario.ts'
import { loadTarget, type Subject, type Target } from '../engine/target.ts'
import { EXIT } from './exit.ts'
import { unreachable } from './reach.ts'

/** What `conformance doctor` takes. */
export interface DoctorOptions {
  readonly target: string
  readonly json?: true
}

/** One thing that was looked at. */
interface Finding {
  readonly what: string
  readonly isGood: boolean
  readonly detail: string
}

/** `conformance doctor`: whether a target can be judged, and what of the suite it leaves out. */
export async function doctor({ target: file, json }: DoctorOptions): Promise<void> {
  const target = loadTarget(file, process.env)
  const redactor = createRedactor(Object.values(target.keys))
  const findings = (await examine(target)).map((finding) => ({
    ...finding,
    detail: redactor.redact(finding.detail),
  }))
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const missing = missingNeeds(scenarios, target)
  if (json) process.stdout.write(`${JSON.stringify({ findings, missing }, null, 2)}\n`)
  else {
    for (const { what, isGood, detail } of findings)
      console.log(`${isGood ? 'ok   ' : 'WRONG'} ${what}: ${detail}`)
    for (const { reason, scenarios: count } of missing)
      console.log(`      ${count} scenarios cannot run: ${reason}`)
  }
  process.exitCode = findings.every(({ isGood }) => isGood) ? EXIT.conformant : EXIT.error
}

async function examine(target: Target): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const subject of target.profiles) findings.push(await examineProduct(subject, target))
  for (const name of ['active', 'revoked', 'expired'] as const) {
    if (target.keys[name] !== undefined) findings.push(await examineKey(name, target))
  }
  const { createWorkspace, createKey, ledger, backendScript } = target.hooks
  const hooks = createHooks(target.hooks)
  let workspaceId = ''
  if (createWorkspace) {
    findings.push(
      await attempt('the hook createWorkspace', async () => {
        workspaceId = (await hooks('createWorkspace', { name: 'conformance doctor', balance_micros: 0 })).id
      }),
    )
  }
  if (createKey && workspaceId) {
    findings.push(
      await attempt(
        'the hook createKey',
        async () => void (await hooks('createKey', { workspace_id: workspaceId })),
      ),
    )
  }
  if (ledger && workspaceId) {
    findings.push(
      await attempt(
        'the hook ledger',
        async () => void (await hooks('ledger', { workspace_id: workspaceId })),
      ),
    )
  }
  if (backendScript)
    findings.push(await attempt('the scripted backend', () => askBackend(backendScript.url ?? '')))
  return findings
}

async function examineProduct(subject: Subject, target: Target): Promise<Finding> {
  const url = await unreachable(subject, target)
  const isGood = url === undefined
  return { what: `the ${subject}`, isGood, detail: isGood ? 'answers' : `nothing answers at ${url}` }
}

/** Whether a key of the target file is what its name says. */
async function examineKey(name: 'active' | 'revoked' | 'expired', target: Target): Promise<Finding> {
  const client = createClient({
    ...target,
    subject: 'router',
    canary: '',
    timeoutMs: 20_000,
    isJudging: false,
  })
  const { status, body } = await client.send({ operation: 'listModels', key: target.keys[name] })
  await client.close()
  const isGood = name === 'active' ? status === 200 : status === 401 && body.includes(`api_key_${name}`)
  return {
    what: `the key ${name}`,
    isGood,
    detail: isGood ? 'is what it says' : `is answered with ${status}`,
  }
}

async function attempt(what: string, act: () => Promise<void>): Promise<Finding> {
  try {
    await act()
    return { what, isGood: true, detail: 'answers' }
  } catch (error) {
    return { what, isGood: false, detail: (error as Error).message }
  }
}

async function askBackend(url: string): Promise<void> {
  const response = await fetch(`${url}/script`)
  if (!response.ok) throw new Error(`it answered ${response.status}`)
}

/** Why scenarios cannot run at this target, and how many that concerns. */
function missingNeeds(
  scenarios: readonly Scenario[],
  target: Target,
): readonly { reason: string; scenarios: number }[] {
  const needs = new Set(scenarios.flatMap((scenario) => scenario.needs))
  return [...needs].flatMap((need: Need) => {
    const reason = findObstacle(need, target)?.reason
    return reason
      ? [{ reason, scenarios: scenarios.filter((scenario) => scenario.needs.includes(need)).length }]
      : []
  })
}
