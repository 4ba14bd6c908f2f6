import { afterAll, beforeAll, expect, test } from 'vitest'
import { listUpstreams } from '../server/upstreams/administration.ts'
import { listEvents } from '../server/upstreams/events.ts'
import { rekeyUpstreams } from '../server/upstreams/rekey.ts'
import { SECRETS_KEY } from './service.ts'
import { HOSTNAME, MODEL, startWorld, UPSTREAM, UPSTREAM_KEY, type World } from './upstream.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
  await world.untilListed(true)
})

afterAll(() => world.stop())

interface Answer {
  readonly id: string
  readonly usage: {
    readonly endpoint: string
    readonly evidence_digest: string
    readonly cost_micros: number
  }
}

test('a model of an admitted upstream is served, and its record names the upstream and the admitted digest', async () => {
  const { digest } = await world.gateway.control('/state')
  const response = await world.ask()
  expect(response.status).toBe(200)
  const { id, usage } = (await response.json()) as Answer
  expect(usage).toMatchObject({ endpoint: UPSTREAM, evidence_digest: digest })
  const [row] = await world.sql`
    select model, endpoint, evidence_digest, status from generations where id = ${id}`
  expect(row).toEqual({ model: MODEL, endpoint: UPSTREAM, evidence_digest: digest, status: 'ok' })
})

test('a stream of an upstream ends with [DONE] and is metered like any other', async () => {
  const text = await (await world.ask({ stream: true, stream_options: { include_usage: true } })).text()
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text).toContain(`"endpoint":"${UPSTREAM}"`)
  expect((await world.verify()).differences).toEqual([])
})

test('the model list shows where it is served and no hardware label', async () => {
  const { apiKey } = await world.createAccount(0n)
  const response = await fetch(`${world.baseUrl}/models/${MODEL}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(await response.json()).toMatchObject({ endpoint: { name: UPSTREAM, hostname: HOSTNAME } })
  const entry = await (
    await fetch(`${world.baseUrl}/models/${MODEL}`, { headers: { authorization: `Bearer ${apiKey}` } })
  ).json()
  expect(Object.keys((entry as { endpoint: object }).endpoint)).toEqual(['name', 'hostname'])
})

test('the upstream gets its own key and model name, and nothing of the client’s', async () => {
  world.backend.clearRequests()
  await (await world.ask({ messages: [{ role: 'user', content: 'who asks?' }] })).text()
  const [request] = world.backend.requests('who asks?')
  expect(request?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`)
  expect(JSON.parse(request!.body)).toMatchObject({ model: 'tiny-chat' })
})

test('the upstream’s key stands nowhere in clear in the database', async () => {
  const [registration] = await listUpstreams(world.sql)
  expect(registration?.apiKey?.length).toBeGreaterThan(UPSTREAM_KEY.length)
  const tables = await world.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await world.sql`
      select 1 from ${world.sql(name)} as t
      where t::text like ${`%${UPSTREAM_KEY}%`} or t::text like ${`%${Buffer.from(UPSTREAM_KEY).toString('hex')}%`}`
    if (row) found.push(name)
  }
  expect(tables.length).toBeGreaterThan(5)
  expect(found).toEqual([])
})

test('registration and admission are events that nobody can change or take away', async () => {
  const events = await listEvents(world.sql, { upstream: UPSTREAM, limit: 10 })
  const { digest } = await world.gateway.control('/state')
  expect(events.toReversed()).toMatchObject([
    { event: 'registered', replica: null },
    { event: 'admitted', replica: expect.stringMatching(/^rep_/), digest, at: expect.any(Date) },
  ])
  await expect(world.sql`update upstream_events set reason = 'x'`).rejects.toThrow(/append-only/)
  await expect(world.sql`delete from upstream_events`).rejects.toThrow(/append-only/)
  await expect(world.sql`truncate upstream_events`).rejects.toThrow(/append-only/)
})

test('routers of the old and of the new secretsKey both have the upstream’s key, before it is stored anew and after', async () => {
  const secretsKey = 'what takes the place of the other, 32+'
  const keyFrom = async (baseUrl: string, content: string) => {
    await world.untilListed(true, baseUrl)
    expect((await world.ask({ messages: [{ role: 'user', content }] }, baseUrl)).status).toBe(200)
    return world.backend.requests(content)[0]?.headers.authorization
  }
  const both = await world.startReplica({ secretsKey, previousSecretsKeys: [SECRETS_KEY] })
  expect(await keyFrom(both, 'before, under both')).toBe(`Bearer ${UPSTREAM_KEY}`)
  const rekeyed = await rekeyUpstreams(world.sql, Buffer.from(secretsKey), [Buffer.from(SECRETS_KEY)])
  expect(rekeyed).toEqual({ rekeyed: [UPSTREAM], current: [], unreadable: [] })
  const alone = await world.startReplica({ secretsKey })
  for (const [name, baseUrl] of Object.entries({ old: world.baseUrl, both, alone })) {
    expect(await keyFrom(baseUrl, `after, by ${name}`)).toBe(`Bearer ${UPSTREAM_KEY}`)
  }
})
