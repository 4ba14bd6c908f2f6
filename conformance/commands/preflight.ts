import { isObject } from '#base/object.ts'
import { messageOf } from '#base/thrown.ts'
import { type Accounts, createAccounts } from '../engine/accounts.ts'
import { openBackend } from '../engine/backend.ts'
import { type Client, createClient, type Request } from '../engine/client.ts'
import type { Hooks } from '../engine/hooks.ts'
import { type Exchange, excerpt, textOf } from '../engine/http/exchange.ts'
import { findObstacle } from '../engine/needs.ts'
import { createRandom } from '../engine/random.ts'
import { usualBody } from '../engine/requests.ts'
import type { Scenario } from '../engine/scenario.ts'
import type { Target } from '../engine/target.ts'

/** How long a first request may take (ours). */
const TIMEOUT_MS = 20_000

/** So many models are listed where the one that is named is not among them (ours). */
const LISTED = 10

/** What is asked before anything is judged. */
export interface Preflight {
  readonly target: Target
  readonly hooks: Hooks
  /** What is to run: nothing is generated for those that only read. */
  readonly scenarios: readonly Pick<Scenario, 'needs'>[]
  readonly seed: number
  readonly tellSecret: (secret: string) => void
}

/**
 * Asks the router whether it is the one that the target file describes: the key, the model, and whether the scripted
 * model serves it. Gives one sentence that says what is not so; undefined where all is, or nothing speaks against it.
 */
export async function mismatchOf(preflight: Preflight): Promise<string | undefined> {
  const { target, hooks, tellSecret } = preflight
  if (!target.profiles.some((one) => one === 'router' || one === 'proxy')) return undefined
  const { baseUrl, ca, headers, slack } = target
  const timeoutMs = TIMEOUT_MS * slack
  const of = { subject: 'router', canary: '', isJudging: false } as const
  const client = createClient({ baseUrl, ca, headers, timeoutMs, slack, ...of })
  try {
    const missing = await noRouterAt(client, baseUrl)
    if (missing) return missing
    return await ask(client, createAccounts(target, hooks, tellSecret), preflight)
  } catch (thrown) {
    return `The target cannot be judged: ${messageOf(thrown)}`
  } finally {
    await client.close()
  }
}

async function ask(client: Client, accounts: Accounts, preflight: Preflight): Promise<string | undefined> {
  const { target, scenarios, seed } = preflight
  const canMake = findObstacle('workspace', target) === undefined
  const made = canMake ? (await accounts.open({ balanceMicros: BALANCE_MICROS })).key : undefined
  const key = made ?? target.keys.active
  for (const [name, one] of [
    ['keys.active', target.keys.active],
    ['that createKey made', made],
  ] as const) {
    const refusal = one && (await refusalOf(client, one))
    if (refusal) return `The key ${name} is not accepted: ${refusal}`
  }
  if (key === undefined) return undefined
  const unlisted = await whyUnlisted(client, key, target.models.chat)
  const generates = scenarios.some(({ needs }) => needs.includes('generation'))
  if (!generates || findObstacle('generation', target)) return unlisted
  const refused = await chat(client, key, { target, seed })
  // A model that serves is there, listed or not: that is for the rules to say.
  return refused && [unlisted, refused].filter(Boolean).join(' ')
}

/** Says so where an address has neither models nor chats, and where the router is likely to be instead. */
async function noRouterAt(client: Client, baseUrl: string): Promise<string | undefined> {
  const isMissing = async (request: Request) => (await client.send(request)).status === 404
  // Without a key nothing is generated.
  const [models, chat] = [{ path: '/models' }, { path: '/chat/completions', method: 'POST', body: '{}' }]
  if (!(await isMissing(models)) || !(await isMissing(chat))) return undefined
  const said = `baseUrl leads to no router: GET ${baseUrl}/models and POST ${baseUrl}/chat/completions answer 404.`
  const { origin } = new URL(baseUrl)
  for (const likely of [`${origin}/v1`, `${origin}/api/v1`]) {
    const { status } = await client.send({ ...models, baseUrl: likely })
    if (status === 200 || status === 401) return `${said} There is one at ${likely}: put that there.`
  }
  return said
}

const BALANCE_MICROS = 5_000_000

async function refusalOf(client: Client, key: string): Promise<string | undefined> {
  const exchange = await client.send({ operation: 'listModels', key })
  return exchange.status === 401 || exchange.status === 403
    ? `GET /models answers ${answerOf(exchange)}`
    : undefined
}

/** Whoever lists no models at all, or shows the model by its own path, is not asked for more here. */
async function whyUnlisted(client: Client, key: string, model: string): Promise<string | undefined> {
  const ids = idsIn(await client.send({ operation: 'listModels', key }))
  if (ids === undefined || ids.includes(model)) return undefined
  const { status } = await client.send({ operation: 'getModel', params: { id: model }, key })
  if (status === 200) return undefined
  const more = ids.length > LISTED ? `, and ${ids.length - LISTED} more` : ''
  const told = ids.length === 0 ? 'none' : `${ids.slice(0, LISTED).join(', ')}${more}`
  return `The router has no model ${model}, which the target file names as models.chat; it lists ${told}.`
}

function idsIn(exchange: Exchange): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(textOf(exchange))
    if (exchange.status !== 200 || !isObject(value) || !Array.isArray(value.data)) return undefined
    return value.data.flatMap((one: unknown) => (isObject(one) && typeof one.id === 'string' ? [one.id] : []))
  } catch {
    return undefined
  }
}

/** One chat has to be answered, and where the scripted model serves it, by that. */
async function chat(
  client: Client,
  key: string,
  { target, seed }: Pick<Preflight, 'target' | 'seed'>,
): Promise<string | undefined> {
  const { models, hooks } = target
  const nonce = `n${createRandom(seed, 'preflight').word(15)}`
  const backend = await openBackend(hooks.backendScript?.url, nonce).catch(messageOf)
  if (typeof backend === 'string') return `The hook backendScript does not answer: ${backend}.`
  const prompt = `Hello ${nonce}`
  const body = usualBody('createChatCompletion', { prompt, model: () => models.chat })
  const answer = await client.send({ operation: 'createChatCompletion', key, body: JSON.stringify(body) })
  if (answer.status !== 200)
    return `A chat with the model ${models.chat} is not answered 200: POST /chat/completions answers ${answerOf(answer)}`
  if (hooks.backendScript === undefined || (await backend.received()).length > 0) return undefined
  return `The scripted model does not serve ${models.chat}: a chat was answered 200, and nothing of it came to ${hooks.backendScript.url}.`
}

function answerOf(exchange: Exchange): string {
  if (exchange.status === 0) return `nothing (${exchange.fault ?? 'in time'}).`
  return `${exchange.status}: ${excerpt(textOf(exchange)).replace(/\s+/g, ' ')}`
}
