import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { isErrorBody } from '#contract/validators/error-body'
import type { Outcome } from '#egress/evidence/attest.ts'
import { failed, passed, unfinished } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import {
  ask,
  closeWorlds,
  eventStream,
  firstIdentity,
  openRequest,
  type Reply,
  readAll,
  secondIdentity,
  send,
  startWorld,
} from '../testing/world.ts'

afterEach(closeWorlds)

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** A check that ends when the test says so. */
function heldCheck() {
  let release: (outcome: Outcome) => void = () => {}
  const outcome = new Promise<Outcome>((resolve) => {
    release = resolve
  })
  return { attest: () => outcome, release: (with_: Outcome) => release(with_) }
}

function expectRefusal(reply: Reply, code: string, stage: string, reason: string): void {
  expect(reply.status).toBe(503)
  const body = JSON.parse(reply.text)
  expect(body).toEqual({ error: { message: expect.any(String), type: 'proxy_error', code }, stage, reason })
  expect(isErrorBody(body)).toBe(true)
  expect(reply.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  expect(reply.headers['x-request-id']).toMatch(/^req-/)
  expect(reply.headers).not.toHaveProperty('x-proxy-verdict')
}

/** Waits until so many requests are under way. */
async function untilWaiting({ adminUrl }: { readonly adminUrl: string }, count = 1): Promise<void> {
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(metrics).toContain(`proxy_requests_running{endpoint="test"} ${count}\n`)
  })
}

test('nothing is sent before the first verdict, and then what waited goes on', async () => {
  const check = heldCheck()
  const world = await startWorld({ attest: check.attest })
  const answered = ask(world, { method: 'POST', body: '{"prompt":"canary"}' })
  await vi.waitFor(() => expect(world.checks).toBe(1))
  expect(world.gateway.accepted).toBe(0)
  check.release(passed(firstIdentity.fingerprint))
  expect((await answered).headers['x-proxy-verdict']).toBe('allow')
  expect(world.gateway.connections[0]?.text).toContain('canary')
})

test('what has waited fifteen seconds is 503 attesting, and may come back in a second', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock, attest: heldCheck().attest })
  const request = openRequest(world)
  request.end()
  const answered = once(request, 'response')
  let response: Awaited<typeof answered>[0] | undefined
  void answered.then(([given]) => {
    response = given
  })
  // The request has to arrive before its fifteen seconds can pass.
  await untilWaiting(world)
  await clock.pass(15 * SECOND)
  await vi.waitFor(() => expect(response).toBeDefined())
  const reply = { status: response.statusCode, headers: response.headers, text: await readAll(response) }
  expectRefusal(reply, 'attestation_failed', 'attesting', 'verdict_pending')
  expect(reply.headers).toMatchObject({ 'retry-after': '1', 'x-should-retry': 'true' })
  expect(world.gateway.accepted).toBe(0)
})

test('a client that leaves while it waits is never sent on', async () => {
  const check = heldCheck()
  const world = await startWorld({ attest: check.attest })
  const request = openRequest(world, { headers: { 'x-canary': 'gone' } })
  request.end()
  await once(request, 'socket')
  const foreign = { headers: { origin: 'https://evil.example' } }
  expect((await ask(world, foreign)).status).toBe(403)
  request.destroy()
  // Answered without a verdict, and after the proxy has seen the other one go.
  for (let count = 0; count < 3; count++) expect((await ask(world, foreign)).status).toBe(403)
  check.release(passed(firstIdentity.fingerprint))
  await ask(world)
  expect(world.gateway.connections.map(({ text }) => text).join()).not.toContain('gone')
})

const denials: [string, Outcome, string, string][] = [
  ['down', unfinished('unreachable'), 'fetch', 'unreachable'],
  ['slow', unfinished('timeout'), 'fetch', 'timeout'],
  ['redirecting', failed('fetch', 'redirected'), 'fetch', 'redirected'],
  [
    'signed by a stranger',
    failed('untrusted-root', 'root_not_trusted'),
    'untrusted-root',
    'root_not_trusted',
  ],
  ['tampered', failed('jws', 'signature_invalid'), 'jws', 'signature_invalid'],
  [
    'behind another certificate',
    failed('tls-fingerprint', 'leaf_mismatch'),
    'tls-fingerprint',
    'leaf_mismatch',
  ],
  ['not pinned', failed('policy', 'digest_not_pinned'), 'policy', 'digest_not_pinned'],
]

test.each(denials)(
  'an endpoint that is %s is refused with its stage and reason',
  async (_, outcome, stage, reason) => {
    const world = await startWorld({ attest: async () => outcome })
    const reply = await ask(world, {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Bearer canary' },
    })
    expectRefusal(reply, 'attestation_failed', stage, reason)
    expect(reply.headers['x-should-retry']).toBe('false')
    expect(reply.text).not.toContain('canary')
    expect(world.gateway.accepted).toBe(0)
  },
)

test('a denial ends running streams with attestation_revoked and [DONE], and cuts their connections (V-08)', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const response = await send(world, { method: 'POST', body: '{}' })
  expect(response.headers['x-proxy-verdict']).toBe('allow')
  const text = readAll(response)
  const arrived = once(response, 'data')
  stream.write('data: {"a":1}\n\n')
  await arrived
  world.judge(failed('policy', 'digest_not_pinned'))
  await clock.pass(4 * MINUTE)
  const [first, event, done, end] = (await text).split('\n\n')
  expect(first).toBe('data: {"a":1}')
  expect(JSON.parse(event!.slice('data: '.length))).toEqual({
    error: { message: expect.any(String), type: 'proxy_error', code: 'attestation_revoked' },
    stage: 'policy',
    reason: 'digest_not_pinned',
  })
  expect([done, end]).toEqual(['data: [DONE]', ''])
  await vi.waitFor(() => expect(world.gateway.open.size).toBe(0))
  expectRefusal(await ask(world), 'attestation_failed', 'policy', 'digest_not_pinned')
})

test('a denial answers a request that waits for its answer with 503 attestation_revoked', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock, script: () => {} })
  const answered = ask(world, { method: 'POST', body: '{}' })
  await vi.waitFor(() => expect(world.gateway.requests).toHaveLength(1))
  world.judge(failed('jws', 'bundle_stale', firstIdentity.fingerprint))
  await clock.pass(4 * MINUTE)
  const reply = await answered
  expectRefusal(reply, 'attestation_revoked', 'jws', 'bundle_stale')
  expect(reply.headers['x-should-retry']).toBe('false')
})

test('the end of a verdict’s life ends running streams, and new requests are told verdict_expired', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const text = readAll(await send(world))
  world.judge(unfinished('unreachable'))
  clock.sleep(6 * MINUTE)
  const reply = await ask(world)
  expectRefusal(reply, 'attestation_failed', 'attesting', 'verdict_expired')
  expect(await text).toMatch(
    /"attestation_revoked".*"stage":"attesting","reason":"verdict_expired"\}\n\ndata: \[DONE\]\n\n$/,
  )
})

test('after a sleep nothing is sent under the old verdict, and what comes next is under a new one (V-07)', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock })
  await ask(world)
  world.judge(unfinished('unreachable'))
  clock.sleep(6 * MINUTE)
  expectRefusal(await ask(world), 'attestation_failed', 'attesting', 'verdict_expired')
  expect(world.gateway.requests).toHaveLength(1)
  world.judge(passed(firstIdentity.fingerprint))
  await clock.pass(30 * SECOND)
  expect((await ask(world)).headers['x-proxy-verdict']).toBe('allow')
})

test('a wall clock that is set back makes no verdict live longer, and is a reason to check (V-07)', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock })
  await ask(world)
  const before = world.checks
  clock.setBack(60 * MINUTE)
  expect((await ask(world)).status).toBe(200)
  expect(world.checks).toBe(before + 1)
  world.judge(unfinished('timeout'))
  await clock.pass(6 * MINUTE)
  expectRefusal(await ask(world), 'attestation_failed', 'fetch', 'timeout')
})

test('a renewed verdict for the same certificate keeps connections and streams', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const response = await send(world)
  const text = readAll(response)
  await clock.pass(9 * MINUTE)
  expect(world.checks).toBe(3)
  stream.write('data: [DONE]\n\n')
  stream.end()
  expect(await text).toBe('data: [DONE]\n\n')
  expect(world.gateway.accepted).toBe(1)
})

test('after a rotation the old connections finish their streams, and new requests go over new ones', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const response = await send(world)
  const text = readAll(response)
  world.rotate(secondIdentity)
  world.gateway.answer((_, answer) => void answer.end('fine'))
  await clock.pass(4 * MINUTE)
  expect((await ask(world)).text).toBe('fine')
  stream.write('data: [DONE]\n\n')
  stream.end()
  expect(await text).toBe('data: [DONE]\n\n')
  expect(world.gateway.connections.map(({ leaf }) => leaf)).toEqual([
    firstIdentity.fingerprint,
    secondIdentity.fingerprint,
  ])
  await vi.waitFor(() => expect(world.gateway.open.size).toBe(1))
})

test('a request that meets a rotated certificate goes on once it has been attested (V-01)', async () => {
  const world = await startWorld()
  world.rotate(secondIdentity)
  const reply = await ask(world, { method: 'POST', body: '{"once":true}' })
  expect(reply).toMatchObject({ status: 200, headers: { 'x-proxy-verdict': 'allow' } })
  expect(world.checks).toBe(2)
  expect(world.gateway.requests).toHaveLength(1)
  expect(world.gateway.connections.at(-1)?.text).toContain('{"once":true}')
})

test('a certificate that the evidence does not name is sent not one byte, and refused when it has waited in vain', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock })
  world.gateway.rotate(secondIdentity)
  world.judge(failed('tls-fingerprint', 'leaf_mismatch'))
  const asked = ask(world, {
    method: 'POST',
    body: '{"canary":1}',
    headers: { authorization: 'Bearer canary' },
  })
  await vi.waitFor(() => expect(world.checks).toBe(2))
  await clock.pass(14_999)
  await untilWaiting(world)
  expect(world.checks).toBeGreaterThan(10)
  await clock.pass(1)
  const reply = await asked
  expectRefusal(reply, 'attestation_failed', 'tls-fingerprint', 'leaf_mismatch')
  expect(reply.headers).toMatchObject({ 'retry-after': '1', 'x-should-retry': 'true' })
  await vi.waitFor(() => expect(world.gateway.open.size).toBe(0))
  expect(world.gateway.connections.map(({ text }) => text).join('')).toBe('')
})

test('even evidence that passes does not help a connection that shows another certificate again and again', async () => {
  const world = await startWorld()
  world.gateway.rotate(secondIdentity)
  const reply = await ask(world)
  expectRefusal(reply, 'attestation_failed', 'tls-fingerprint', 'leaf_mismatch')
  expect(reply.headers['x-should-retry']).toBe('true')
  expect(world.gateway.requests).toHaveLength(0)
  expect(world.gateway.accepted).toBe(5)
})

test('a platform that rotates before it signs anew keeps its old connections; requests wait, and go on once it has', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const text = readAll(await send(world))
  world.gateway.rotate(secondIdentity)
  world.gateway.answer((_, answer) => void answer.end('fine'))
  world.judge(failed('tls-fingerprint', 'leaf_mismatch'))
  const bodies = ['{"first":1}', '{"second":1}', '{"third":1}']
  const asked = bodies.map((body) => ask(world, { method: 'POST', body }))
  await untilWaiting(world, 4)
  await vi.waitFor(() => expect(world.checks).toBe(2))
  await clock.pass(10 * SECOND)
  const sent = () => world.gateway.connections.map((connection) => connection.text).join('')
  expect(sent()).not.toMatch(/first|second|third/)
  world.judge(passed(secondIdentity.fingerprint))
  await clock.pass(1 * SECOND)
  expect((await Promise.all(asked)).map((reply) => reply.text)).toEqual(['fine', 'fine', 'fine'])
  for (const body of bodies) expect(sent().split(body)).toHaveLength(2)
  stream.write('data: [DONE]\n\n')
  stream.end()
  expect(await text).toBe('data: [DONE]\n\n')
})

test('a client that leaves while its request waits for a certificate ends the wait, and nothing of it is sent', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock })
  world.gateway.rotate(secondIdentity)
  world.judge(failed('tls-fingerprint', 'leaf_mismatch'))
  const request = openRequest(world, { method: 'POST', headers: { 'x-canary': 'gone' } })
  request.end('{}')
  await vi.waitFor(() => expect(world.checks).toBe(2))
  request.destroy()
  await untilWaiting(world, 0)
  const { checks } = world
  // Nobody asks any more.
  await clock.pass(500)
  expect(world.checks - checks).toBeLessThanOrEqual(1)
  world.judge(passed(secondIdentity.fingerprint))
  await clock.pass(4 * MINUTE)
  expect((await ask(world)).status).toBe(200)
  expect(world.gateway.connections.map(({ text }) => text).join()).not.toContain('gone')
})
