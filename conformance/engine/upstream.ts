import type { SetVerdictCommand } from '#contract/models'
import { type Gateway, startGateway } from '../stand-ins/gateway/gateway.ts'
import { createIdentity } from '../stand-ins/gateway/identity.ts'
import * as assert from './assert.ts'
import type { Context } from './context.ts'
import { expectStatus, listedIds } from './expect.ts'
import type { Call } from './http/call.ts'
import type { Exchange } from './http/exchange.ts'
import type { Need } from './needs.ts'

/** What every scenario needs that registers an upstream. */
export const upstreamNeeds: readonly Need[] = [
  'workspace',
  'feature:upstreams',
  'registerUpstream',
  'setVerdict',
  'model:doubted',
  'endpoint:doubted',
]

/** The upstream of one scenario: the endpoint `doubted`, with a gateway that only this scenario knows. */
export interface Upstream {
  readonly name: string
  readonly gateway: Gateway
  /** The key that the upstream asks for. */
  readonly apiKey: string
  /** Registers it anew. */
  register(changes?: { readonly pins?: readonly string[] }): Promise<void>
  /** Acts as an administrator; it holds when this resolves. */
  set(state: SetVerdictCommand['state']): Promise<void>
  isListed(baseUrl?: string): Promise<boolean>
  untilListed(isListed: boolean, baseUrl?: string): Promise<void>
  chat(body?: Readonly<Record<string, unknown>>, baseUrl?: string): Promise<Exchange>
  /** Waits until a router serves by this gateway; those of earlier scenarios answer no more. */
  untilServed(baseUrl: string): Promise<void>
  stream(): Promise<Call>
}

/** How a scenario's upstream begins. */
export interface UpstreamSettings {
  /** Whether it is registered with its present deployment approved; so it is unless told otherwise. */
  readonly isRegistered?: boolean
}

/**
 * Runs a scenario with an upstream of its own behind the endpoint `doubted`. Only for exclusive scenarios: the endpoint
 * is replaced, and the list of models changes while it is judged.
 */
export async function withUpstream(
  context: Context,
  run: (upstream: Upstream) => Promise<void>,
  settings: UpstreamSettings = {},
): Promise<void> {
  // A product that cannot show a model fails here, at once, and not after the waits below.
  expectStatus(await context.request('getModel', { params: { id: context.model() } }), 200)
  const gateway = await startGateway(HOSTNAME)
  try {
    const upstream = open(context, gateway)
    if (settings.isRegistered ?? true) await upstream.register()
    await run(upstream)
  } finally {
    await gateway.close()
  }
}

/** The name in its handshake and its evidence. */
const HOSTNAME = 'doubted.localhost'

/** How long a router may take to come to a verdict, or to hear of one (ours). */
const VERDICT_MS = 5_000

function open(context: Context, gateway: Gateway): Upstream {
  const name = context.target.endpoints.doubted ?? ''
  const model = context.model('doubted')
  const apiKey = `upstream-${context.nonce}`

  async function isListed(baseUrl?: string): Promise<boolean> {
    return listedIds(await context.request('listModels', { ...(baseUrl && { baseUrl }) })).includes(model)
  }

  return {
    name,
    gateway,
    apiKey,
    isListed,
    async register({ pins = [gateway.digest] } = {}) {
      const { url, hostname, root } = gateway
      await context.hooks('registerUpstream', {
        endpoint: name,
        url,
        hostname,
        roots: [root],
        pins: [...pins],
        api_key: apiKey,
      })
    },
    async set(state) {
      await context.hooks('setVerdict', { endpoint: name, state })
    },
    async untilListed(expected, baseUrl) {
      const what = `the model is ${expected ? '' : 'not '}listed`
      await context.eventually(what, async () => (await isListed(baseUrl)) === expected, VERDICT_MS)
    },
    chat: (body = {}, baseUrl) => context.chat({ model, ...body }, { ...(baseUrl && { baseUrl }) }),
    async untilServed(baseUrl) {
      const ask = () => context.chat({ model }, { baseUrl })
      await context.eventually('the model is served', async () => (await ask()).status === 200, VERDICT_MS)
    },
    stream: () => context.stream({ model }),
  }
}

/** Runs `act` and asserts that meanwhile the upstream got no request but those for evidence. */
export async function nothingSent<T>({ gateway }: Upstream, act: () => Promise<T>): Promise<T> {
  const before = gateway.sent.length
  const result = await act()
  assert.equal(gateway.sent.length, before, 'something was sent to the upstream')
  return result
}

/** Registers an upstream at a name that no DNS has, so that it never gets a verdict; disables it in the end. */
export async function withUnreachable(
  context: Context,
  endpoint: string,
  run: (endpoint: string) => Promise<void>,
): Promise<void> {
  const { root } = await createIdentity(HOSTNAME)
  const pins = [`sha256/${'A'.repeat(43)}`]
  await context.hooks('registerUpstream', {
    endpoint,
    url: 'https://nowhere.invalid/v1',
    roots: [root],
    pins,
  })
  try {
    await run(endpoint)
  } finally {
    await context.hooks('setVerdict', { endpoint, state: 'disabled' })
  }
}
