import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Digest, digestOf, type TrustedRoot } from '#attestation'
import type { Attest, Outcome } from '#egress/evidence/attest.ts'
import { expectation, failed, passed } from '#egress/testing/admissions.ts'
import { type Gateway, startGateway } from '#egress/testing/gateway.ts'
import type { EndpointConfig, ProxyConfig } from './config/proxy.ts'
import { createLog, silent } from './log.ts'
import { type RunningProxy, startProxy } from './proxy.ts'
import { ask, firstIdentity, secondIdentity } from './testing/world.ts'

function endpoint(name: string, gateway: Gateway): EndpointConfig {
  return {
    name,
    target: { hostname: `${name}.localhost`, host: '127.0.0.1', port: gateway.port },
    listen: { host: '127.0.0.1', port: 0, origins: [], token: undefined },
    basePath: '',
    ...expectation,
  }
}

async function gatewayOf(identity: typeof firstIdentity): Promise<Gateway> {
  const gateway = await startGateway(identity, (request, response) => void response.end(request.headers.host))
  onTestFinished(() => gateway.close())
  return gateway
}

async function start(endpoints: readonly EndpointConfig[], checks: readonly Attest[]): Promise<RunningProxy> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proxy-test-'))
  // Endpoints check one after the other as they are started.
  const pending = [...checks]
  const proxy = await startProxy({
    config: { dataDir, admin: { host: '127.0.0.1', port: 0 }, endpoints },
    log: silent,
    drainMs: 0,
    attest: (...asked) => (pending.shift() ?? checks[1]!)(...asked),
  })
  onTestFinished(async () => {
    await proxy.stop()
    rmSync(dataDir, { recursive: true })
  })
  return proxy
}

test('each endpoint has a listener, a verdict and connections of its own', async () => {
  const gateways = [await gatewayOf(firstIdentity), await gatewayOf(secondIdentity)] as const
  const proxy = await start(
    [endpoint('one', gateways[0]), endpoint('two', gateways[1])],
    [async () => passed(firstIdentity.fingerprint), async () => passed(secondIdentity.fingerprint)],
  )
  const [one, two] = proxy.endpoints
  expect(new Set([one!.port, two!.port]).size).toBe(2)
  expect((await ask(one!)).text).toBe(`one.localhost:${gateways[0].port}`)
  expect((await ask(two!)).text).toBe(`two.localhost:${gateways[1].port}`)
  const readiness = await fetch(`${proxy.adminUrl}/readyz`)
  expect(readiness.status).toBe(200)
})

test('an endpoint that is denied holds up no other, and the proxy is not ready', async () => {
  const gateways = [await gatewayOf(firstIdentity), await gatewayOf(secondIdentity)] as const
  const proxy = await start(
    [endpoint('one', gateways[0]), endpoint('two', gateways[1])],
    [async () => passed(firstIdentity.fingerprint), async () => failed('policy', 'policy_refused')],
  )
  const [one, two] = proxy.endpoints
  expect((await ask(one!)).status).toBe(200)
  expect(JSON.parse((await ask(two!)).text)).toMatchObject({ stage: 'policy', reason: 'policy_refused' })
  expect(gateways[1].accepted).toBe(0)
  await vi.waitFor(async () => {
    const answer = await fetch(`${proxy.adminUrl}/readyz`)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ endpoints: [expect.objectContaining({ name: 'two', state: 'denied' })] }),
    ])
  })
})

test('a listener that cannot be had ends the start, and nothing stays open', async () => {
  const gateway = await gatewayOf(firstIdentity)
  const taken = endpoint('two', gateway)
  const checks = [
    async () => passed(firstIdentity.fingerprint),
    async () => passed(firstIdentity.fingerprint),
  ]
  await expect(
    start([endpoint('one', gateway), { ...taken, listen: { ...taken.listen, port: gateway.port } }], checks),
  ).rejects.toMatchObject({ code: 'EADDRINUSE', message: expect.stringContaining('such as listen: {') })
})

const root: TrustedRoot = { der: Uint8Array.of(1), fingerprint: digestOf('root'), requireLeafName: true }

/** A proxy of one endpoint, the checks that it has made, and what it has logged. */
async function startOne() {
  const gateway = await gatewayOf(firstIdentity)
  const dataDir = mkdtempSync(join(tmpdir(), 'proxy-test-'))
  const lines: string[] = []
  const world = { checks: 0, outcome: passed(firstIdentity.fingerprint) as Outcome | Promise<Outcome> }
  const one: EndpointConfig = { ...endpoint('one', gateway), roots: [root] }
  const config: ProxyConfig = { dataDir, admin: undefined, endpoints: [one] }
  const proxy = await startProxy({
    config,
    log: createLog((line) => lines.push(line)),
    drainMs: 0,
    async attest() {
      world.checks += 1
      return world.outcome
    },
  })
  onTestFinished(async () => {
    await proxy.stop()
    rmSync(dataDir, { recursive: true })
  })
  return {
    world,
    lines,
    reconfigure: (change: Partial<EndpointConfig>, more: Partial<ProxyConfig> = {}) =>
      proxy.reconfigure({ ...config, ...more, endpoints: [{ ...one, ...change }] }),
    refusal: async () => JSON.parse((await ask(proxy.endpoints[0]!)).text),
    status: async () => (await ask(proxy.endpoints[0]!)).status,
  }
}

const another: readonly Digest[] = [digestOf('another')]

test.each<[string, Partial<EndpointConfig>, string, string]>([
  ['pin', { pins: another }, 'policy', 'digest_not_pinned'],
  [
    'root',
    { roots: [{ ...root, der: Uint8Array.of(2), fingerprint: digestOf('r') }] },
    'untrusted-root',
    'root_not_trusted',
  ],
])(
  'a %s that was withdrawn denies before the platform has answered; once it is back the evidence is checked at once',
  async (_, change, stage, reason) => {
    const { world, reconfigure, refusal, status } = await startOne()
    expect(await status()).toBe(200)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    world.outcome = promise
    reconfigure(change)
    expect(await refusal()).toMatchObject({ stage, reason })
    world.outcome = passed(firstIdentity.fingerprint)
    reconfigure({})
    // The check that began under what was expected before counts for nothing.
    resolve(failed('jws', 'bundle_stale'))
    await vi.waitFor(async () => expect(await status()).toBe(200))
  },
)

test('the same settings again are no change; others than the expected are told to need a restart', async () => {
  const { world, lines, reconfigure, status } = await startOne()
  expect(await status()).toBe(200)
  reconfigure({ pins: [digestOf('snapshot')] })
  expect(world.checks).toBe(1)
  reconfigure({ basePath: '/elsewhere' }, { dataDir: '/elsewhere' })
  reconfigure({ name: 'two' })
  expect(world.checks).toBe(1)
  const told = lines.map((line) => JSON.parse(line)).filter(({ setting }) => setting !== undefined)
  expect(told.map(({ setting }) => setting)).toEqual([
    'dataDir',
    'endpoints[one].url',
    'endpoints[one]',
    'endpoints[two]',
  ])
  expect(await status()).toBe(200)
})
