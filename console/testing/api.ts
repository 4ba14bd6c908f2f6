import { Hono } from 'hono'
import type { components, paths } from '#contract/console/types'
import { createLive } from './live.ts'
import { ago, detailsOf, idOf, upstreamDiff, type World } from './world.ts'

type Schemas = components['schemas']

/** What an operation answers, by the contract. */
type Answer<
  Path extends keyof paths,
  Method extends 'get' | 'post' | 'patch' | 'delete',
> = paths[Path][Method] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : paths[Path][Method] extends { responses: { 201: { content: { 'application/json': infer Body } } } }
    ? Body
    : never

const PAGE = 50

/** The only code that signs in. */
export const CODE = '123456'

/** The text of every key that is made. */
export const KEY = `sk-tee-v1-${'k'.repeat(43)}`

/** The console's API as a script over a world, typed by the contract: for tests of the page alone. */
export function createScriptedApi(world: World) {
  const app = new Hono()
  const live = createLive(world)

  app.use(async (c, next) => {
    if (world.outage === 503) return c.json(error('overloaded', 'The database is away.'), 503)
    const isOpen = c.req.path.includes('/sign-in') || c.req.path.endsWith('/analytics')
    if (!world.isSignedIn && !isOpen) return c.json(error('session_required', 'Sign in.'), 401)
    c.header('Cache-Control', 'no-store')
    return next()
  })

  app.post('/sign-in/codes', (c) => c.json({ expires_at: ago(-600_000) }, 202))
  app.get('/sign-in/codes/current', (c) => {
    const body: Answer<'/sign-in/codes/current', 'get'> = { state: 'sent', expires_at: ago(-600_000) }
    return c.json(body)
  })
  app.post('/sign-in', async (c) => {
    const asked: Schemas['SignInRequest'] = await c.req.json()
    if (asked.code !== CODE) return c.json(error('invalid_code', 'This code does not sign in.'), 400)
    world.isSignedIn = true
    const isNew = asked.invitation !== undefined
    const body: Answer<'/sign-in', 'post'> = {
      created: isNew,
      granted_micros: isNew ? 5_000_000 : null,
      me: world.me,
    }
    return c.json(body)
  })
  app.get('/me', (c) => c.json(world.me))
  app.delete('/session', (c) => {
    world.isSignedIn = false
    return c.body(null, 204)
  })
  app.get('/sessions', (c) => c.json({ data: world.sessions }))
  app.delete('/sessions/:id', (c) => {
    world.sessions = world.sessions.filter(({ id }) => id !== c.req.param('id'))
    return c.body(null, 204)
  })

  app.get('/keys', (c) => c.json(pageOf(world.keys, c.req.query())))
  app.post('/keys', async (c) => {
    const asked: Schemas['NewKey'] = await c.req.json()
    const made: Schemas['ConsoleKey'] = {
      id: idOf('key_', 100 + world.keys.length),
      name: asked.name,
      prefix: KEY.slice(0, 12),
      state: 'active',
      model_scope: asked.model_scope ?? null,
      requests_per_minute: asked.requests_per_minute ?? null,
      tokens_per_minute: asked.tokens_per_minute ?? null,
      spend_limit_micros: asked.spend_limit_micros ?? null,
      spent_micros: 0,
      created_at: ago(0),
      expires_at: asked.expires_at ?? null,
      last_used_at: null,
      revoked_at: null,
    }
    world.keys.unshift(made)
    return c.json({ api_key: KEY, ...made }, 201)
  })
  app.patch('/keys/:id', async (c) => {
    const change: Schemas['KeyChange'] = await c.req.json()
    const key = world.keys.find(({ id }) => id === c.req.param('id'))
    if (key === undefined) return c.json(error('not_found', 'No such key.'), 404)
    return c.json(Object.assign(key, change))
  })
  app.delete('/keys/:id', (c) => {
    const key = world.keys.find(({ id }) => id === c.req.param('id'))
    if (key === undefined) return c.json(error('not_found', 'No such key.'), 404)
    return c.json(Object.assign(key, { state: 'revoked', revoked_at: ago(0) }))
  })

  app.get('/credits', (c) => c.json({ ...world.balance, ...pageOf(world.ledger, c.req.query()) }))
  app.get('/requests/live', (c) => live.answer(c.req.raw.signal))
  app.get('/requests', (c) => c.json(pageOf(narrowed(world.requests, c.req.query()), c.req.query())))
  app.get('/requests.csv', (c) => c.text('time,model\r\n', 200, { 'Content-Type': 'text/csv' }))
  app.get('/requests/:id', (c) => {
    const row = world.requests.find(({ id }) => id === c.req.param('id'))
    return row === undefined ? c.json(error('not_found', 'No such request.'), 404) : c.json(detailsOf(row))
  })
  app.get('/usage', (c) => c.json(usageOf(world, c.req.query())))
  app.get('/models', (c) => c.json({ data: world.models }))
  app.get('/endpoints', (c) => c.json({ data: world.endpoints }))
  app.get('/endpoints/:name/bundles/:digest', (c) => {
    const bytes = world.bundles.get(`sha256/${c.req.param('digest')}`)
    if (bytes === undefined) return c.json(error('not_found', 'No such bundle.'), 404)
    return c.body(bytes, 200, { 'Content-Type': 'application/json' })
  })
  app.post('/analytics', async (c) => {
    const { events }: Schemas['PageEvents'] = await c.req.json()
    world.pageEvents.push(...events)
    return c.body(null, 202)
  })

  app.get('/admin/upstreams', (c) => c.json({ data: world.upstreams }))
  app.post('/admin/upstreams', async (c) => {
    const asked: Schemas['NewUpstream'] = await c.req.json()
    const made: Schemas['AdminUpstream'] = {
      ...world.upstreams[0]!,
      id: idOf('ups_', 50),
      name: asked.name,
      url: asked.url,
      hostname: asked.hostname ?? new URL(asked.url).hostname,
      attested: asked.attested ?? null,
      pins: asked.pins ?? [],
      has_api_key: asked.api_key !== undefined,
      state: 'pending',
      denial: null,
      sticky: false,
      last_admitted: null,
    }
    world.upstreams.push(made)
    return c.json(made, 201)
  })
  app.get('/admin/upstreams/:name/diff', (c) => c.json(upstreamDiff))
  app.get('/admin/upstreams/:name/events', (c) => c.json({ data: [], next: null }))
  app.post('/admin/upstreams/:name/pins', async (c) => {
    const { add = [], remove = [] }: Schemas['PinChange'] = await c.req.json()
    const upstream = world.upstreams.find(({ name }) => name === c.req.param('name'))!
    upstream.pins = [...upstream.pins.filter((pin) => !remove.includes(pin)), ...add]
    return c.json(Object.assign(upstream, { state: 'pending', denial: null, sticky: false }))
  })
  app.patch('/admin/upstreams/:name', async (c) => {
    const { disabled }: Schemas['UpstreamChange'] = await c.req.json()
    const upstream = world.upstreams.find(({ name }) => name === c.req.param('name'))!
    return c.json(Object.assign(upstream, { state: disabled ? 'disabled' : 'pending', denial: null }))
  })
  app.get('/admin/invitations', (c) => c.json({ data: world.invitations, next: null }))
  app.post('/admin/invitations', async (c) => {
    const asked: Schemas['NewInvitation'] = await c.req.json()
    const made: Schemas['AdminInvitation'] = {
      ...world.invitations[0]!,
      id: idOf('inv_', 50),
      code: 'ABCD-EFGH-JKMN',
      grant_micros: asked.grant_micros,
      description: asked.description ?? '',
      max_redemptions: asked.max_redemptions ?? 1,
      redemptions: 0,
      note: asked.note ?? null,
      created_at: ago(0),
    }
    world.invitations.unshift(made)
    return c.json(made, 201)
  })
  app.delete('/admin/invitations/:id', (c) => {
    const invitation = world.invitations.find(({ id }) => id === c.req.param('id'))!
    return c.json(Object.assign(invitation, { withdrawn_at: ago(0) }))
  })
  app.get('/admin/workspaces', (c) => {
    const part = (c.req.query('query') ?? '').toLowerCase()
    const data = world.workspaces.filter(({ name }) => name.toLowerCase().includes(part))
    return c.json({ data, next: null })
  })
  app.get('/admin/workspaces/:id', (c) => {
    const workspace = world.workspaces.find(({ id }) => id === c.req.param('id'))!
    return c.json({ ...workspace, ledger: world.ledger.slice(0, 5), keys: world.keys })
  })
  app.post('/admin/workspaces/:id/credit', async (c) => {
    const { amount_micros, reason }: Schemas['CreditChange'] = await c.req.json()
    const workspace = world.workspaces.find(({ id }) => id === c.req.param('id'))!
    workspace.balance_micros += amount_micros
    const row: Schemas['LedgerRow'] = {
      id: idOf('led_', 77),
      kind: amount_micros > 0 ? 'top_up' : 'adjustment',
      amount_micros,
      balance_after_micros: workspace.balance_micros,
      description: reason,
      reference: null,
      created_at: ago(0),
    }
    return c.json(row, 201)
  })
  app.get('/admin/audit', (c) => c.json({ data: world.audit, next: null }))

  return { app, tell: live.tell }
}

function error(code: string, message: string) {
  return { error: { message, type: 'invalid_request_error', code } }
}

function pageOf<Row extends { readonly id: string }>(rows: readonly Row[], query: Record<string, string>) {
  const limit = Number(query.limit ?? PAGE)
  const start = query.after === undefined ? 0 : rows.findIndex(({ id }) => id === query.after) + 1
  if (query.after !== undefined && start === 0) throw new Error(`No page goes on behind ${query.after}.`)
  const data = rows.slice(start, start + limit)
  return { data, next: start + limit < rows.length ? data.at(-1)!.id : null }
}

function narrowed(rows: readonly Schemas['RequestRow'][], query: Record<string, string>) {
  const kept = rows.filter(
    (row) =>
      (query.model === undefined || row.model === query.model) &&
      (query.status === undefined || row.status === query.status) &&
      (query.key === undefined || row.key.id === query.key),
  )
  if (query.sort === 'cost') kept.sort((one, other) => (other.cost_micros ?? -1) - (one.cost_micros ?? -1))
  return query.order === 'asc' ? kept.reverse() : kept
}

function usageOf(world: World, query: Record<string, string>): Answer<'/usage', 'get'> {
  const bucket = query.bucket === 'hour' ? 'hour' : 'day'
  const step = bucket === 'hour' ? 3_600_000 : 86_400_000
  const [from, to] = [Date.parse(query.from!), Date.parse(query.to!)]
  const groups = query.group_by === 'key' ? world.keys.slice(0, 3) : world.models.slice(0, 2)
  const points: Schemas['UsagePoint'][] = []
  if (world.requests.length > 0) {
    for (let at = from, index = 0; at < to; at += step, index++) {
      for (const [place, { id }] of groups.entries()) {
        const requests = Math.round(40 + 30 * Math.sin(index / 3 + place * 2)) * (place === 0 ? 3 : 1)
        points.push({
          at: new Date(at).toISOString(),
          group: id,
          requests,
          input_tokens: requests * 311,
          output_tokens: requests * 702,
          cost_micros: requests * (place === 0 ? 1_203 : 9_001),
        })
      }
    }
  }
  const sum = (name: 'requests' | 'input_tokens' | 'output_tokens' | 'cost_micros') =>
    points.reduce((sum, point) => sum + point[name], 0)
  return {
    bucket,
    group_by: query.group_by === 'key' ? 'key' : 'model',
    from: query.from!,
    to: query.to!,
    groups: points.length === 0 ? [] : groups.map(({ id, name }) => ({ id, name })),
    points,
    total: {
      requests: sum('requests'),
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cost_micros: sum('cost_micros'),
    },
  }
}
