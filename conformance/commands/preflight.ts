import { randomBytes } from 'node:crypto'
import { isObject } from '#base/object.ts'
import { type Account, createAccounts } from '../engine/accounts.ts'
import { type Backend, openBackend } from '../engine/backend.ts'
import { type Client, createClient } from '../engine/client.ts'
import { createHooks } from '../engine/hooks.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { toRequest, usualBody } from '../engine/requests.ts'
import type { Target } from '../engine/target.ts'
import { EXIT } from './exit.ts'

/** What a target file says that is not so, and the exit code for it. */
export interface Mistake {
  readonly code: number
  readonly message: string
}

/** How long each answer is waited for (ours). */
const TIMEOUT_MS = 5_000

/**
 * Looks at a router before it is judged: whether it takes the key, serves the model and is served by the scripted model
 * that its target file names. With one of these wrong most rules would be told broken, and none would be. What a router
 * that answers nonsense says is no mistake of the file.
 */
export async function mistakeIn(
  target: Target,
  tellSecret: (secret: string) => void,
): Promise<Mistake | undefined> {
  if (!target.profiles.includes('router')) return undefined
  const nonce = `n${randomBytes(8).toString('hex')}`
  const client = createClient({
    baseUrl: target.baseUrl,
    ca: target.ca,
    headers: target.headers,
    subject: 'router',
    canary: '',
    timeoutMs: TIMEOUT_MS * target.slack,
    slack: target.slack,
    isJudging: false,
  })
  try {
    const account = await createAccounts(target, createHooks(target.hooks), tellSecret).open()
    if (account.key === '') return undefined
    return (
      (await mistakeOfModel(target, client, account)) ??
      (await mistakeOfBackend(target, client, account, nonce))
    )
  } catch {
    // A hook that fails is told by the scenarios that need it.
    return undefined
  } finally {
    await client.close()
  }
}

async function mistakeOfModel(
  target: Target,
  client: Client,
  { key, keyId }: Account,
): Promise<Mistake | undefined> {
  const exchange = await client.send({ operation: 'listModels', key })
  if (exchange.status === 401 && keyId === undefined)
    return {
      code: EXIT.error,
      message: 'The router refuses keys.active with a 401: with no other key it is asked in vain.',
    }
  const ids = idsIn(exchange)
  const { chat } = target.models
  if (ids === undefined || chat === undefined || ids.includes(chat)) return undefined
  const { status } = await client.send({ operation: 'getModel', params: { id: chat }, key })
  if (status === 200) return undefined
  const listed = ids.length === 0 ? 'none' : ids.slice(0, SHOWN).join(', ')
  return { code: EXIT.usage, message: `models.chat: the router serves no ${chat}. It lists ${listed}.` }
}

async function mistakeOfBackend(
  target: Target,
  client: Client,
  { key }: Account,
  nonce: string,
): Promise<Mistake | undefined> {
  const { backendScript } = target.hooks
  if (backendScript?.url === undefined || !target.mayGenerate) return undefined
  const backend: Backend = await openBackend(backendScript.url, nonce)
  const usual = usualBody('createChatCompletion', {
    prompt: `Hello ${nonce}`,
    model: () => target.models.chat ?? '',
  })
  const answer = await client.send(toRequest('createChatCompletion', usual, { key }))
  if (!isCompletion(answer) || (await backend.received()).length > 0) return undefined
  return {
    code: EXIT.usage,
    message:
      'hooks.backendScript: the router answered a chat that did not arrive at the scripted model. It is served by another backend.',
  }
}

/** How many models are named (ours). */
const SHOWN = 10

function idsIn(exchange: Exchange): readonly string[] | undefined {
  const body = jsonIn(exchange)
  if (exchange.status !== 200 || !isObject(body) || !Array.isArray(body.data)) return undefined
  const ids = body.data.map((entry: unknown) => (isObject(entry) ? entry.id : undefined))
  return ids.every((id) => typeof id === 'string') ? ids : undefined
}

function isCompletion(exchange: Exchange): boolean {
  const body = jsonIn(exchange)
  return exchange.status === 200 && isObject(body) && Array.isArray(body.choices) && body.choices.length > 0
}

function jsonIn({ body }: Exchange): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
