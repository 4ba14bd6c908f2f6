import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { isProxyStatus } from '#contract/validators/proxy-status'
import { failed } from '#egress/testing/admissions.ts'
import { TestClock } from '#egress/testing/clock.ts'
import { journalFile, linesOf } from '../journal/testing.ts'
import { ask, closeWorlds, eventStream, readAll, secondIdentity, send, startWorld } from '../testing/world.ts'

afterEach(closeWorlds)

const MINUTE = 60_000

async function look(url: string, init?: RequestInit) {
  const answer = await fetch(url, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test('a proxy is healthy while it turns over, and ready while every endpoint holds a live verdict', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock })
  await ask(world)
  expect(await look(`${world.adminUrl}/healthz`)).toMatchObject({ status: 200 })
  expect(await look(`${world.adminUrl}/readyz`)).toMatchObject({ status: 200, text: '{"status":"ready"}\n' })
  world.judge(failed('policy', 'digest_not_pinned'))
  await clock.pass(4 * MINUTE)
  const { status, text } = await look(`${world.adminUrl}/readyz`)
  expect(status).toBe(503)
  expect(JSON.parse(text)).toEqual({
    status: 'not_ready',
    reasons: ['no_verdict'],
    endpoints: [{ name: 'test', state: 'denied', stage: 'policy', reason: 'digest_not_pinned' }],
  })
  expect(await look(`${world.adminUrl}/healthz`)).toMatchObject({ status: 200 })
})

test('a verdict that has outlived a sleep is not ready (V-07)', async () => {
  const clock = new TestClock()
  const world = await startWorld({ clock })
  await ask(world)
  world.judge(failed('fetch', 'not_json'))
  clock.sleep(6 * MINUTE)
  expect((await look(`${world.adminUrl}/readyz`)).status).toBe(503)
})

test('reading status, metrics, readiness and page checks nothing and cuts nothing, even when a verdict is over', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const response = await send(world)
  const text = readAll(response)
  world.judge(failed('fetch', 'not_json'))
  const read = async () => {
    for (const path of ['/status', '/metrics', '/readyz', '/']) await look(`${world.adminUrl}${path}`)
    return JSON.parse((await look(`${world.adminUrl}/status`)).text).endpoints[0].verdict
  }
  clock.setBack(60 * MINUTE)
  expect(await read()).toMatchObject({ state: 'admitted' })
  clock.sleep(66 * MINUTE)
  expect(await read()).toMatchObject({ state: 'pending', reason: 'verdict_expired' })
  const arrived = once(response, 'data')
  stream.write('data: {"a":1}\n\n')
  await arrived
  expect([world.checks, world.gateway.open.size]).toEqual([1, 1])
  // A request acts on what was read.
  expect((await ask(world)).text).toContain('verdict_expired')
  expect(await text).toContain('attestation_revoked')
  expect(world.checks).toBe(2)
})

test('the status tells the verdict, its life and what became of requests', async () => {
  const clock = new TestClock()
  const stream = eventStream()
  const world = await startWorld({ clock, script: stream.script })
  const text = readAll(await send(world))
  await ask(world, { headers: { origin: 'https://evil.example' } })
  await clock.pass(MINUTE)
  const { text: document } = await look(`${world.adminUrl}/status`)
  const status: unknown = JSON.parse(document)
  expect(isProxyStatus(status)).toBe(true)
  const endpoint = {
    name: 'test',
    hostname: 'router.localhost',
    listen: `http://127.0.0.1:${world.port}/v1`,
    verdict: {
      state: 'admitted',
      since: '2030-01-01T00:00:00.000Z',
      age_ms: MINUTE,
      expires_in_ms: 4 * MINUTE,
      evidence_digest: expect.stringMatching(/^sha256\//),
    },
    next_check_in_ms: 3 * MINUTE,
    requests: { forwarded: 1, refused: 1, running: 1 },
  }
  expect(status).toEqual({
    pid: process.pid,
    version: expect.any(String),
    endpoints: [endpoint],
    journal: null,
  })
  stream.write('data: [DONE]\n\n')
  stream.end()
  await text
  await vi.waitFor(async () => {
    const { endpoints } = JSON.parse((await look(`${world.adminUrl}/status`)).text)
    expect(endpoints[0].requests).toEqual({ forwarded: 1, refused: 1, running: 0 })
  })
})

test('the metrics count checks and requests by what became of them, and hold no content', async () => {
  const world = await startWorld({
    script: (_, response) => void response.writeHead(200, { connection: 'close' }).end(),
  })
  const headers = { authorization: 'Bearer canary', 'x-canary': 'canary' }
  await ask(world, { method: 'POST', path: '/v1/canary', body: 'canary', headers })
  await ask(world, { headers: { host: 'evil.example' } })
  world.rotate(secondIdentity)
  await ask(world)
  const { headers: given, text } = await look(`${world.adminUrl}/metrics`)
  expect(given.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'proxy_endpoint_admitted{endpoint="test"} 1',
      'proxy_checks_total{endpoint="test",result="passed",stage="",reason=""} 2',
      'proxy_leaves_refused_total{endpoint="test"} 1',
      'proxy_requests_running{endpoint="test"} 0',
      'proxy_requests_forwarded_total{endpoint="test"} 2',
      'proxy_requests_total{endpoint="test",outcome="answered"} 2',
      'proxy_requests_total{endpoint="test",outcome="forbidden_origin"} 1',
    ]),
  )
  expect(text).not.toContain('canary')
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(
      /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? \d+(\.\d+)?(e\+\d+)?)$/,
    )
  }
})

test('a journal that somebody else wrote into is told by readiness, status and metrics, and stops nobody', async () => {
  const journal = journalFile()
  const clock = new TestClock()
  const world = await startWorld({ journal, clock })
  expect((await ask(world)).status).toBe(200)
  const metrics = async () => (await look(`${world.adminUrl}/metrics`)).text
  const status = async () => JSON.parse((await look(`${world.adminUrl}/status`)).text)
  expect(await look(`${world.adminUrl}/readyz`)).toMatchObject({ status: 200, text: '{"status":"ready"}\n' })
  expect((await status()).journal).toEqual({
    state: 'writing',
    file: journal,
    waiting_lines: expect.any(Number),
    lost_lines: 0,
  })
  expect(await metrics()).toMatch(/\nproxy_journal_writable 1\n[\s\S]*\nproxy_journal_continued 0\n/)
  await vi.waitFor(() => expect(linesOf(journal).length).toBeGreaterThan(2), { timeout: 10_000 })

  appendFileSync(journal, 'theirs\n')
  world.judge(failed('policy', 'digest_not_pinned'))
  await clock.pass(4 * MINUTE)
  await vi.waitFor(async () => expect((await status()).journal.state).toBe('continued'), { timeout: 10_000 })
  const found = await status()
  expect(isProxyStatus(found)).toBe(true)
  expect(found.journal).toMatchObject({
    file: `${journal}.part2`,
    continues: { file: journal, reason: 'foreign_write' },
  })
  const { text } = await look(`${world.adminUrl}/readyz`)
  expect(JSON.parse(text)).toMatchObject({ warnings: ['journal_continued'] })
  expect(await metrics()).toMatch(
    /\nproxy_journal_continued 1\n[\s\S]*\nproxy_journal_waiting_lines \d+\n[\s\S]*\nproxy_journal_lost_lines_total 0\n/,
  )
})

test('the status page says for people what is refused and what to do, without a script', async () => {
  const world = await startWorld({ attest: async () => failed('policy', 'digest_not_pinned') })
  await ask(world)
  const { headers, text } = await look(`${world.adminUrl}/`)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(text).toContain('1 without a live verdict')
  expect(text).toContain('digest_not_pinned')
  expect(text).toContain('pin it if you approve')
  expect(text).not.toMatch(/<script|javascript:|\bon\w+=|src=|href=/)
})

test('the status page shows the deployment in the notation of pins', async () => {
  const world = await startWorld()
  await ask(world)
  const { text } = await look(`${world.adminUrl}/`)
  expect(text).toMatch(/<code>sha256:[0-9a-f]{64}<\/code>/)
})

test.each([
  ['GET', '/absent', {}, 404],
  ['GET', '/constructor', {}, 404],
  ['POST', '/status', {}, 404],
  ['GET', '/status', { origin: 'https://evil.example' }, 403],
])('%s %s with the headers %j is %i', async (method, path, headers, expected) => {
  const world = await startWorld()
  expect((await look(`${world.adminUrl}${path}`, { method, headers })).status).toBe(expected)
})

test('a page whose name was rebound to this machine reads nothing of the status (V-11)', async () => {
  const world = await startWorld()
  const port = Number(new URL(world.adminUrl).port)
  const reply = await ask({ port }, { path: '/status', headers: { host: 'evil.example' } })
  expect(reply.status).toBe(403)
  expect(reply.text).not.toContain('test')
})
