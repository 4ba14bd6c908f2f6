import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { isAskedChecksOutput } from '#contract/validators/asked-checks-output'
import type { Outcome, Passed } from '#egress/evidence/attest.ts'
import { failed, passed, unfinished } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { openConnection } from '../testing/connection.ts'
import { ask, closeWorlds, firstIdentity, startWorld, type World } from '../testing/world.ts'

afterEach(closeWorlds)

const COMMAND = { 'x-proxy-command': 'attest' }

function attest(world: World, headers: Readonly<Record<string, string>> = {}, query = '') {
  const { port } = new URL(world.adminUrl)
  const asked = { method: 'POST', path: `/attest${query}`, headers: { ...COMMAND, ...headers } }
  return ask({ port: Number(port) }, asked)
}

test('an endpoint is checked anew when somebody asks, whatever was found before (PRXY-30)', async () => {
  const world = await startWorld({ clock: new TestClock() })
  await ask(world)
  expect(world.checks).toBe(1)
  const { status, text } = await attest(world)
  const found: unknown = JSON.parse(text)
  expect([status, world.checks]).toEqual([200, 2])
  expect(isAskedChecksOutput(found)).toBe(true)
  expect(found).toMatchObject({
    endpoints: [
      {
        name: 'test',
        hostname: 'router.localhost',
        check: { admitted: true, verified_through: 'policy', stage: null, channel_binding: 'observed' },
        foreign: false,
        verdict: { state: 'admitted' },
      },
    ],
  })
})

test.each([
  ['refused at the policy', failed('policy', 'digest_not_pinned'), 'tls-fingerprint', 'denied'],
  ['not to be had', unfinished('unreachable'), null, 'admitted'],
] as const)(
  'evidence that is %s is told with what it leaves of the verdict',
  async (_, outcome, through, state) => {
    const world = await startWorld({ clock: new TestClock() })
    await ask(world)
    world.judge(outcome)
    const { endpoints } = JSON.parse((await attest(world)).text)
    const { stage, reason } = (outcome as Exclude<Outcome, Passed>).ground
    expect(endpoints[0]).toMatchObject({
      check: { admitted: false, verified_through: through, stage, reason, evidence_digest: null },
      verdict: { state },
    })
  },
)

test.each([
  ['of a foreign page', { origin: 'https://evil.example' }],
  ['of another site without an origin', { 'sec-fetch-site': 'cross-site' }],
  ['of the status page itself', { 'sec-fetch-site': 'same-origin' }],
  ['that a person typed into a browser', { 'sec-fetch-site': 'none' }],
  ['of a rebound name (V-11)', { host: 'evil.example' }],
  ['without the header that pages cannot send', { 'x-proxy-command': '' }],
])('a request %s has nothing checked', async (_, headers) => {
  const world = await startWorld({ clock: new TestClock() })
  await ask(world)
  const { status, text } = await attest(world, headers)
  expect(status).toBe(403)
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'forbidden_origin' } })
  expect(world.checks).toBe(1)
})

test('no page may ask whether it may send that header', async () => {
  const world = await startWorld()
  const headers = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-proxy-command',
  }
  const asked = { method: 'OPTIONS', path: '/attest', headers: { ...headers, origin: 'http://127.0.0.1' } }
  const answered = await ask({ port: Number(new URL(world.adminUrl).port) }, asked)
  expect(answered.status).toBe(403)
  expect(Object.keys(answered.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test.each([['GET'], ['HEAD'], ['PUT']])('%s /attest has nothing checked', async (method) => {
  const world = await startWorld({ clock: new TestClock() })
  await ask(world)
  const asked = { method, path: '/attest', headers: COMMAND }
  expect((await ask({ port: Number(new URL(world.adminUrl).port) }, asked)).status).toBe(404)
  expect(world.checks).toBe(1)
})

test('an endpoint is named by its name, and one that there is not has nothing checked', async () => {
  const world = await startWorld({ clock: new TestClock() })
  await ask(world)
  expect((await attest(world, {}, '?endpoint=test')).status).toBe(200)
  expect((await attest(world, {}, '?endpoint=other')).status).toBe(404)
  expect(world.checks).toBe(2)
})

test('who asks ahead while a check runs is read no further than a few questions', async () => {
  const held = Promise.withResolvers<void>()
  let checks = 0
  const world = await startWorld({
    async attest() {
      checks += 1
      if (checks > 1) await held.promise
      return passed(firstIdentity.fingerprint)
    },
  })
  await ask(world)
  const { socket, reader } = await openConnection(Number(new URL(world.adminUrl).port))
  const head = 'POST /attest HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Proxy-Command: attest\r\n'
  const asked = `${head}X-Padding: ${'x'.repeat(8_000)}\r\n\r\n`.repeat(1_000)
  socket.write(asked)
  await vi.waitUntil(() => checks === 2 && reader.isPaused())
  expect(reader.bytesRead).toBeLessThan(asked.length / 4)
  held.resolve()
  await once(socket, 'data')
  socket.destroy()
})
