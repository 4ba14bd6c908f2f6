import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { parseDigest } from '#attestation'
import {
  askAttestation,
  disableUpstream,
  enableUpstream,
  setPins,
} from '../server/upstreams/administration.ts'
import { listEvents } from '../server/upstreams/events.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { MODEL, startWorld, UPSTREAM, type World } from './upstream.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

beforeEach(async () => {
  await world.register()
  await world.untilListed(true)
  world.backend.clearRequests()
})

afterEach(async () => {
  await world.backend.play({})
})

afterAll(() => world.stop())

/** What nobody but an administrator mends must not be repeated. */
async function refusalOf(response: Response) {
  const { error, stage, reason } = (await response.json()) as {
    error: { code: string; type: string }
    stage?: string
    reason?: string
  }
  return [response.status, error.code, stage, reason, response.headers.get('x-should-retry')]
}

/** Nothing was sent, nothing was accepted, nothing was booked. */
async function untouched<T>(act: () => Promise<T>): Promise<T> {
  const before = await world.verify()
  const result = await act()
  expect(world.backend.requests()).toEqual([])
  expect(await world.verify()).toEqual(before)
  return result
}

/** A change that no pin covers: the next check of an admitted upstream denies it. */
async function deploySomethingElse(): Promise<string> {
  const { digest } = await world.gateway.control('/rotate/deployment')
  await askAttestation(world.sql, UPSTREAM)
  await world.untilListed(false)
  return digest
}

test('an upstream without pins is refused with stage and reason, hidden, and sent nothing', async () => {
  await world.register([])
  await world.untilListed(false)
  await untouched(async () => {
    await vi.waitFor(async () =>
      expect(await refusalOf(await world.ask())).toEqual([
        503,
        'attestation_failed',
        'upstream-policy',
        'no_pins',
        'false',
      ]),
    )
  })
})

test('a denial needs a key to be told: without one the answer is 401', async () => {
  await world.register([])
  await world.untilListed(false)
  const response = await fetch(`${world.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-tee-v1-${'A'.repeat(43)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(response.status).toBe(401)
})

test('a denial of an admitted upstream is sticky: only an administrator lifts it, by approving what runs there', async () => {
  const other = await world.startReplica()
  await world.untilListed(true, other)
  const admitted = await world.gateway.control('/state')
  const digest = await deploySomethingElse()
  const expected = [503, 'attestation_failed', 'upstream-policy', 'digest_not_pinned', 'false']
  await world.untilListed(false, other)
  await world.gateway.control('/rotate/deployment') // Yet another one changes nothing any more.
  await untouched(async () => {
    expect(await refusalOf(await world.ask())).toEqual(expected)
    expect(await refusalOf(await world.ask({}, other))).toEqual(expected)
    expect(await refusalOf(await world.ask({}, await world.startReplica()))).toEqual(expected)
  })
  const events = await listEvents(world.sql, { upstream: UPSTREAM, limit: 50 })
  const denials = events.filter(({ event, reason }) => event === 'denied' && reason === 'digest_not_pinned')
  expect(denials.map((event) => event.digest)).toContain(digest)
  expect(admitted.digest).not.toBe(digest)
  const { digest: current } = await world.gateway.control('/state')
  await setPins(world.sql, UPSTREAM, { add: [parseDigest(current)], remove: [] })
  await world.untilListed(true)
  await world.untilListed(true, other)
  expect((await world.ask()).status).toBe(200)
})

test('a disabled upstream’s models are not found; enabled, it is checked and serves again', async () => {
  await disableUpstream(world.sql, UPSTREAM)
  await world.untilListed(false)
  await untouched(async () => {
    const response = await world.ask()
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      404,
      'model_not_found',
    ])
  })
  const samples = await readMetrics(world.adminUrl)
  const labels = { endpoint: UPSTREAM, state: 'disabled' }
  expect(valueIn(samples, 'router_upstreams_verdict', labels)).toBe(1)
  await enableUpstream(world.sql, UPSTREAM)
  await world.untilListed(true)
  expect((await world.ask()).status).toBe(200)
})

test('a model whose upstream nobody has registered is not found', async () => {
  await world.sql`truncate upstream_bundles, upstreams`
  await world.untilListed(false)
  await untouched(async () => expect((await world.ask()).status).toBe(404))
})

test('a router that has just started has a request wait for the first verdict, and lists the model after it', async () => {
  const release = world.line.hold()
  const started = await world.startReplica()
  const waiting = world.ask({}, started)
  const models = await fetch(`${started}/models`, { headers: { authorization: `Bearer ${world.apiKey}` } })
  expect(JSON.stringify(await models.json())).not.toContain(MODEL)
  expect(world.backend.requests()).toEqual([])
  release()
  expect((await waiting).status).toBe(200)
  await world.untilListed(true, started)
})

/** One stream that has delivered its first word and waits; resolves with all that came and when it ended. */
async function beginStream(): Promise<Promise<{ readonly text: string; readonly endedAtMs: number }>[]> {
  const response = await world.ask({ stream: true })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('first')) text += (await reader.read()).value ?? ''
  const rest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    return { text, endedAtMs: performance.now() }
  }
  // In an array, or awaiting the beginning would await the end.
  return [rest()]
}

const waiting = { chunks: ['first', ' last'], betweenChunksMs: 600_000 }

test('a withdrawn pin ends 50 streams within a second: error event, [DONE], aborted, tokens metered', async () => {
  const before = await world.verify()
  await world.backend.play({ rules: [waiting] })
  const begunMs = performance.now()
  const streams = (await Promise.all(Array.from({ length: 50 }, beginStream))).flat()
  // To end them is no more work than to begin them, which tells how busy this machine is.
  const limitMs = Math.max(1_000, performance.now() - begunMs)
  const { digest } = await world.gateway.control('/state')
  const [row] = await world.sql<{ now: Date }[]>`select clock_timestamp() as now`
  await setPins(world.sql, UPSTREAM, { add: [], remove: [parseDigest(digest)] })
  const withdrawnAtMs = performance.now()
  const ends = await Promise.all(streams)
  for (const { text, endedAtMs } of ends) {
    expect(endedAtMs - withdrawnAtMs).toBeLessThan(limitMs)
    const [error, done] = text.split('\n\n').filter(Boolean).slice(-2)
    expect(done).toBe('data: [DONE]')
    expect(JSON.parse(error!.slice('data: '.length))).toMatchObject({
      error: { code: 'attestation_revoked', type: 'proxy_error' },
      stage: 'upstream-policy',
      reason: 'no_pins',
    })
  }
  const after = await world.verify()
  expect(after).toMatchObject({ generations: before.generations + 50, open_holds: 0, differences: [] })
  const records = await world.sql`
    select distinct status, endpoint, completion_tokens, prompt_tokens > 0 as has_prompt, cost_micros > 0 as is_paid
    from generations where settled_at >= ${row!.now}`
  expect(records).toEqual([
    { status: 'aborted', endpoint: UPSTREAM, completion_tokens: 2n, has_prompt: true, is_paid: true },
  ])
})

test('an upstream that is disabled ends a request in flight: 503 attestation_revoked, aborted, prompt counted', async () => {
  await world.backend.play({ rules: [{ ...waiting, beforeFirstChunkMs: 600_000 }] })
  const asked = world.ask()
  await vi.waitFor(() => expect(world.backend.requests()).toHaveLength(1), 5_000)
  await disableUpstream(world.sql, UPSTREAM)
  const response = await asked
  const id = response.headers.get('x-router-generation-id')
  expect(await refusalOf(response)).toEqual([
    503,
    'attestation_revoked',
    'upstream-attesting',
    'disabled',
    'false',
  ])
  const [record] = await world.sql`
    select status, completion_tokens, prompt_tokens > 0 as has_prompt from generations where id = ${id}`
  expect(record).toEqual({ status: 'aborted', completion_tokens: 0n, has_prompt: true })
})
