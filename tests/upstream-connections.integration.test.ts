import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { digestOf, parseDigest } from '#attestation'
import { type Gateway, startGateway } from '../egress/testing/gateway.ts'
import { createIdentity, type Identity } from '../egress/testing/identity.ts'
import { askAttestation, listUpstreams, setPins } from '../server/upstreams/administration.ts'
import { listEvents } from '../server/upstreams/events.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { timeOf } from './pace.ts'
import { HOSTNAME, MODEL, startWorld, UPSTREAM, UPSTREAM_KEY, type World } from './upstream.ts'

const EVIDENCE = '/.well-known/platform-evidence'
const CANARY = 'a prompt that nobody else may read'

let world: World
let gatewayPort: number
let hostile: Gateway | undefined

beforeAll(async () => {
  world = await startWorld()
  gatewayPort = Number(new URL(world.gateway.gateway.url).port)
})

beforeEach(async () => {
  world.line.leadTo(gatewayPort)
  await world.register()
  await world.untilListed(true)
  world.backend.clearRequests()
})

afterEach(async () => {
  await world.backend.play({})
  await hostile?.close()
  hostile = undefined
})

afterAll(() => world.stop())

/** The bundle as the platform publishes it now. */
function fetchBundle(): Promise<Buffer> {
  const options = { servername: HOSTNAME, rejectUnauthorized: false, agent: false }
  return new Promise((resolve, reject) => {
    get(`${world.gateway.gateway.url}${EVIDENCE}`, options, (response) =>
      buffer(response).then(resolve, reject),
    ).on('error', reject)
  })
}

/** Somebody on the way who shows a certificate and publishes a bundle. */
async function interpose(identity: Identity, bundle: Buffer): Promise<Gateway> {
  hostile = await startGateway(identity, (request, response) => {
    if (request.url === EVIDENCE) response.end(bundle)
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  world.line.leadTo(hostile.port)
  return hostile
}

/** The certificate and key that the platform shows now. */
function platformIdentity(): Identity {
  const pem = readFileSync(join(dirname(world.gateway.gateway.rootPemFile), 'tls.pem'), 'utf8')
  return { pem, fingerprint: digestOf(new X509Certificate(pem).raw) }
}

/** Keeps the pooled connection busy, so that the next request needs a new one. */
async function occupy(): Promise<{ end(): Promise<string> }> {
  await world.backend.play({
    rules: [{ marker: 'occupy', chunks: ['first', ' last'], betweenChunksMs: 1_500 }],
  })
  const response = await world.ask({ stream: true, messages: [{ role: 'user', content: 'occupy' }] })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('first')) text += (await reader.read()).value ?? ''
  return {
    async end() {
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
      return text
    },
  }
}

test('a gateway that swaps its certificate is asked for evidence and sent nothing else', async () => {
  const gateway = await interpose(createIdentity(), await fetchBundle())
  // Whatever was pooled goes to the real one; this needs a connection of its own.
  world.line.leadTo(gatewayPort)
  const occupied = await occupy()
  world.line.leadTo(gateway.port)
  const response = await world.ask({ messages: [{ role: 'user', content: CANARY }] })
  const { error, stage, reason } = (await response.json()) as {
    error: { code: string }
    stage: string
    reason: string
  }
  expect([response.status, error.code, stage, reason]).toEqual([
    503,
    'attestation_failed',
    'upstream-tls-fingerprint',
    'leaf_mismatch',
  ])
  // Somebody on the way looks like an upstream that renews: it may heal, and has waited for that.
  expect(response.headers.get('x-should-retry')).toBe('true')
  expect(response.headers.get('retry-after')).toBe('1')
  const id = response.headers.get('x-router-generation-id')
  const [record] =
    await world.sql`select status, cost_micros, prompt_tokens from generations where id = ${id}`
  expect(record).toEqual({ status: 'aborted', cost_micros: 0n, prompt_tokens: 0n })
  for (const { text } of gateway.connections) expect(['', 'GET']).toContain(text.slice(0, 3))
  expect(gateway.requests.map(({ url }) => url)).toEqual(gateway.requests.map(() => EVIDENCE))
  const seen = gateway.connections.map(({ text }) => text).join('')
  expect([seen.includes(CANARY), seen.includes(UPSTREAM_KEY)]).toEqual([false, false])
  // The real one goes on undisturbed, for the verdict is still its.
  expect(await occupied.end()).toMatch(/ last.*data: \[DONE\]\n\n$/s)
  await world.untilListed(true)
})

test('while an upstream has not signed for its new certificate requests wait, and go on once when it has', async () => {
  await world.gateway.control('/rotate/leaf?resign=later')
  world.line.drop()
  const before = await world.verify()
  const asked = [false, true, false].map((stream) => world.ask({ stream }))
  await vi.waitFor(async () => {
    const samples = await readMetrics(world.adminUrl)
    expect(valueIn(samples, 'router_upstreams_waiting', { endpoint: UPSTREAM })).toBe(3)
  }, 10_000)
  expect(world.backend.requests()).toEqual([])
  await world.gateway.control('/resign')
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  for (const answer of answers) await answer.text()
  expect(world.backend.requests()).toHaveLength(3)
  await vi.waitFor(async () => {
    expect(await world.verify()).toMatchObject({ generations: before.generations + 3, open_holds: 0 })
  }, 10_000)
})

test('a client that leaves while its request waits for a certificate ends the wait, and nothing is sent', async () => {
  await world.gateway.control('/rotate/leaf?resign=later')
  world.line.drop()
  const left = new AbortController()
  const waiting = async () => {
    const samples = await readMetrics(world.adminUrl)
    return valueIn(samples, 'router_upstreams_waiting', { endpoint: UPSTREAM })
  }
  const asked = fetch(`${world.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: CANARY }] }),
    signal: left.signal,
  })
  await vi.waitFor(async () => expect(await waiting()).toBe(1), 10_000)
  left.abort()
  await expect(asked).rejects.toThrow(/abort/)
  await vi.waitFor(async () => expect(await waiting()).toBe(0), 5_000)
  await world.gateway.control('/resign')
  expect((await world.ask()).status).toBe(200)
  expect(world.backend.requests()).toHaveLength(1)
})

test('a renewed certificate heals by itself: running streams end well, new requests go on, nothing is sent twice', async () => {
  const occupied = await occupy()
  await world.gateway.control('/rotate/leaf')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => world.ask({}).then(({ status }) => status)),
  )
  expect(answers).toEqual(Array.from({ length: 10 }, () => 200))
  expect(await occupied.end()).toMatch(/ last.*data: \[DONE\]\n\n$/s)
  expect(world.backend.requests()).toHaveLength(11)
  expect((await world.verify()).differences).toEqual([])
})

test('a certificate and a deployment that are renewed together serve once the deployment is approved', async () => {
  await world.gateway.control('/rotate/deployment?resign=later')
  await world.gateway.control('/rotate/leaf')
  const { digest } = await world.gateway.control('/state')
  await setPins(world.sql, UPSTREAM, { add: [parseDigest(digest)], remove: [] })
  await vi.waitFor(async () => {
    const response = await world.ask()
    expect(response.status).toBe(200)
    expect(((await response.json()) as { usage: object }).usage).toMatchObject({ evidence_digest: digest })
  }, 10_000)
})

test('what one router denies for good, every router denies within a second, and so does one that starts later', async () => {
  await world.gateway.control('/rotate/deployment', { restore: true })
  await world.register()
  const other = await world.startReplica()
  await world.untilListed(true, other)
  // On a busy machine even a list takes its time: ten of them are the second's worth of work and more.
  const listMs = await timeOf(() => world.untilListed(true, other))
  const occupied = await occupy()
  await world.gateway.control('/rotate/deployment')
  await world.gateway.control('/rotate/leaf')
  // Only the router that is asked meets the other certificate and checks; its denial has to reach the others.
  const expected = { stage: 'upstream-policy', reason: 'digest_not_pinned' }
  expect(await (await world.ask()).json()).toMatchObject(expected)
  const sinceMs = performance.now()
  await world.untilListed(false, other)
  expect(performance.now() - sinceMs).toBeLessThan(Math.max(1_000, 10 * listMs))
  expect(await occupied.end()).toMatch(/"code":"attestation_revoked".*data: \[DONE\]\n\n$/s)
  await world.gateway.control('/rotate/deployment', { restore: true })
  // Nothing is wrong any more, and still nobody may send anything until an administrator has acted.
  for (const router of [world.baseUrl, other, await world.startReplica()]) {
    const response = await world.ask({}, router)
    expect([response.status, await response.json()]).toMatchObject([503, expected])
  }
  await askAttestation(world.sql, UPSTREAM)
  await world.untilListed(true)
  await world.untilListed(true, other)
})

/** How often the router has been told by somebody else than the upstream. */
async function foreignAnswers(): Promise<number> {
  const samples = await readMetrics(world.adminUrl)
  return valueIn(samples, 'router_upstreams_foreign_answers_total', { endpoint: UPSTREAM }) ?? 0
}

test('a stranger’s answers in its place deny no upstream, cut no stream, and are told', async () => {
  const published = await fetchBundle()
  const envelope = JSON.parse(published.toString()) as object
  const occupied = await occupy()
  const gateway = await interpose(createIdentity(), published)
  const play: [status: number, body: string][] = [
    [404, '{}'],
    [200, '<html>Please sign in</html>'],
    [200, JSON.stringify({ ...envelope, issuedAt: new Date().toISOString() })],
  ]
  for (const [status, body] of play) {
    const before = await foreignAnswers()
    gateway.answer((_, response) => void response.writeHead(status).end(body))
    // Two: the first of them may have begun with the answer before.
    await vi.waitFor(
      async () => {
        await askAttestation(world.sql, UPSTREAM)
        expect(await foreignAnswers()).toBeGreaterThan(before + 1)
      },
      { timeout: 20_000, interval: 500 },
    )
    await world.untilListed(true)
  }
  expect(gateway.requests.every(({ url }) => url === EVIDENCE)).toBe(true)
  world.line.leadTo(gatewayPort)
  expect(await occupied.end()).toMatch(/ last.*data: \[DONE\]\n\n$/s)
  expect((await world.ask()).status).toBe(200)
  const events = await listEvents(world.sql, { upstream: UPSTREAM, limit: 50 })
  const newest = events.slice(
    0,
    events.findIndex(({ event }) => event === 'registered'),
  )
  // Each router takes up the registration before it has judged it, which is no check's doing.
  expect(newest.filter(({ event, stage }) => event === 'denied' && stage !== 'attesting')).toEqual([])
  // One of each router, however many answers there were.
  const told = newest.filter(({ event }) => event === 'foreign_answer').map(({ replica }) => replica)
  expect(told.length).toBeGreaterThan(0)
  expect(new Set(told).size).toBe(told.length)
})

test.each([
  ['another status', 404, '{}', 'http_status'],
  ['a page', 200, '<html></html>', 'not_json'],
])(
  '%s over the upstream’s own certificate denies it until an administrator acts',
  async (_, status, body, reason) => {
    const gateway = await interpose(platformIdentity(), Buffer.alloc(0))
    gateway.answer((__, response) => void response.writeHead(status).end(body))
    await askAttestation(world.sql, UPSTREAM)
    await world.untilListed(false)
    world.line.leadTo(gatewayPort)
    const response = await world.ask()
    expect([response.status, await response.json()]).toMatchObject([503, { stage: 'upstream-fetch', reason }])
    await askAttestation(world.sql, UPSTREAM)
    await world.untilListed(true)
  },
)

test('an older bundle is not admitted, not even by a router that has just started', async () => {
  const old = await fetchBundle()
  await world.gateway.control('/resign')
  const [before] = await listUpstreams(world.sql)
  await askAttestation(world.sql, UPSTREAM)
  await vi.waitFor(async () => {
    const [now] = await listUpstreams(world.sql)
    expect(now!.newestIssuedAt!.getTime()).toBeGreaterThan(before!.newestIssuedAt!.getTime())
  }, 10_000)
  await interpose(platformIdentity(), old)
  const restarted = await world.startReplica()
  await vi.waitFor(async () => {
    const response = await world.ask({}, restarted)
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: 'attestation_failed' }, stage: 'upstream-jws', reason: 'issued_at_rolled_back' },
    ])
  }, 10_000)
  expect(hostile!.requests.every(({ url }) => url === EVIDENCE)).toBe(true)
  // The router that has a verdict keeps it; its connections are still the right ones.
  await world.untilListed(true)
})
