import { afterEach, expect, test, vi } from 'vitest'
import { limits } from '#contract/limits'
import { failed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import {
  ask,
  closeWorlds,
  firstIdentity,
  secondIdentity,
  startWorld,
  type World,
  type WorldOptions,
} from '../testing/world.ts'

afterEach(closeWorlds)

/** What must not reach the wrong place: the key above all. */
const secret = {
  method: 'POST',
  body: '{"canary":"prompt"}',
  headers: { authorization: 'Bearer canary' },
} as const

/** A world in which time passes only while a request waits. */
async function startTimedWorld(options: WorldOptions = {}): Promise<World & { readonly clock: TestClock }> {
  const clock = new TestClock()
  return Object.assign(await startWorld({ ...options, clock }), { clock })
}

/** Another certificate from now on, which no evidence names; what was signed stays. */
function turnHostile(world: World): void {
  world.gateway.rotate(secondIdentity)
  world.judge(failed('tls-fingerprint', 'leaf_mismatch'))
}

/** The refusal that its user gets, and what the gateway has seen: handshakes. */
async function expectNothingSent(world: Awaited<ReturnType<typeof startTimedWorld>>): Promise<void> {
  const before = world.gateway.accepted
  const { checks } = world
  const asked = ask(world, secret)
  // It has a check made as soon as it waits, and only then may its time pass.
  await vi.waitFor(() => expect(world.checks).toBeGreaterThan(checks))
  await world.clock.pass(limits.verdictWaitMs)
  const { status, headers, text } = await asked
  expect(status).toBe(503)
  expect(headers).not.toHaveProperty('x-proxy-verdict')
  expect(JSON.parse(text)).toMatchObject({
    error: { type: 'proxy_error', code: 'attestation_failed' },
    stage: 'tls-fingerprint',
    reason: 'leaf_mismatch',
  })
  await vi.waitFor(() => expect(world.gateway.open.size).toBe(0))
  expect(world.gateway.accepted).toBeGreaterThan(before)
  // A handshake that is broken off may not even count as a connection to a gateway.
  const shown = world.gateway.connections.filter(({ leaf }) => leaf === secondIdentity.fingerprint)
  expect(shown.map(({ text: received }) => received).join('')).toBe('')
}

test('a gateway that swaps its certificate between attestation and request sees no byte of HTTP (V-02)', async () => {
  const world = await startTimedWorld()
  await vi.waitFor(async () => {
    expect(JSON.parse(await (await fetch(`${world.adminUrl}/readyz`)).text())).toEqual({ status: 'ready' })
  })
  turnHostile(world)
  await expectNothingSent(world)
  expect(world.gateway.requests).toHaveLength(0)
})

test('a gateway that swaps its certificate on a later connection sees no byte of HTTP on it (V-02)', async () => {
  const world = await startTimedWorld({
    script: (_, response) => void response.writeHead(200, { connection: 'close' }).end(),
  })
  for (let count = 0; count < 3; count++) expect((await ask(world, secret)).status).toBe(200)
  turnHostile(world)
  await expectNothingSent(world)
  expect(world.gateway.requests).toHaveLength(3)
})

test('a gateway that swaps its certificate and would resume the session sees no byte of HTTP (V-02)', async () => {
  const world = await startTimedWorld({
    script: (_, response) => void response.writeHead(200, { connection: 'close' }).end(),
  })
  // Its tickets stay good under another certificate; a client that comes back with one is shown none.
  expect((await ask(world, secret)).status).toBe(200)
  expect((await ask(world, secret)).status).toBe(200)
  turnHostile(world)
  await expectNothingSent(world)
  const { connections } = world.gateway
  expect(connections.map(({ isResumed }) => isResumed)).toEqual(connections.map(() => false))
})

test('a gateway that comes back to its certificate is used again, by the verdict that still stands', async () => {
  const world = await startTimedWorld()
  turnHostile(world)
  await expectNothingSent(world)
  world.gateway.rotate(firstIdentity)
  expect(await ask(world, secret)).toMatchObject({ status: 200, headers: { 'x-proxy-verdict': 'allow' } })
})
