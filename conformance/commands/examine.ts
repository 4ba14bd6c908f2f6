import { createClient } from '../engine/client.ts'
import { faultOf } from '../engine/fault.ts'
import { createHooks } from '../engine/hooks.ts'
import type { Subject, Target } from '../engine/target.ts'
import { NotTestable } from '../engine/thrown.ts'
import { unreachable } from './reach.ts'

/** One thing that was looked at. */
export interface Finding {
  readonly what: string
  readonly isGood: boolean
  readonly detail: string
}

/** Looks a target over: what can be reached, and what does not do what its file says. */
export async function examine(target: Target): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const subject of target.profiles) findings.push(await examineProduct(subject, target))
  for (const name of ['active', 'revoked', 'expired'] as const) {
    if (target.keys[name] !== undefined) findings.push(await examineKey(name, target))
  }
  const { createWorkspace, createKey, backendScript } = target.hooks
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
      await attempt(
        'the hook createKey, asked for all that a key can be',
        async () =>
          void (await hooks('createKey', {
            ...settings,
            workspace_id: workspaceId,
            model_scope: [target.models.chat],
          })),
      ),
    )
  }
  for (const name of ['debits', 'books'] as const) {
    if (target.hooks[name] === undefined || !workspaceId) continue
    const act = async () => void (await hooks(name, { workspace_id: workspaceId }))
    findings.push(await attempt(`the hook ${name}`, act))
  }
  if (backendScript)
    findings.push(await attempt('the scripted backend', () => askBackend(backendScript.url ?? '')))
  return findings
}

/** Whatever scenarios ask of a key beside its scope. */
const settings = {
  name: 'conformance doctor',
  requests_per_minute: 60,
  tokens_per_minute: 10_000,
  spend_limit_micros: 1_000_000,
  expires_at: '2020-01-01T00:00:00Z',
  revoked: true,
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
    // It serves for the rest.
    if (error instanceof NotTestable)
      return { what, isGood: true, detail: `${error.message}; scenarios that ask for it are not testable` }
    return { what, isGood: false, detail: faultOf(error) }
  }
}

async function askBackend(url: string): Promise<void> {
  const response = await fetch(`${url}/script`)
  if (!response.ok) throw new Error(`it answered ${response.status}`)
}
