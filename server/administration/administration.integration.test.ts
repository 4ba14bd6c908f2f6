import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { createIdentity } from '../../egress/testing/identity.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { createWorkspace, findWorkspace } from '../store/workspaces.ts'
import { listEvents } from '../upstreams/events.ts'
import { type Actor, audited } from './act.ts'
import { type AuditQuery, auditActs, auditStatement, listAudit } from './audit.ts'
import { creditWorkspace } from './credit.ts'
import * as invitations from './invitations.ts'
import * as keys from './keys.ts'
import * as upstreams from './upstreams.ts'
import * as workspaces from './workspaces.ts'

const ADA: Actor = { name: 'ada@example.com', through: 'console' }
const SECRET = 'vendor-secret-canary-31'
const { pem: roots } = createIdentity()
const [one, two] = [digestOf('one'), digestOf('two')]

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open(10)).sql
})

afterAll(async () => {
  expect((await verifyLedger(sql)).differences).toEqual([])
  await server.stop()
})

/** What was written down of something, the oldest first. */
async function actsOn(subject: string): Promise<string[]> {
  const rows = await listAudit(sql, { subject, limit: 100 })
  return rows.map(({ act }) => act).toReversed()
}

const count = async (): Promise<number> => (await listAudit(sql, { limit: 1_000 })).length

let names = 0
const register = (name: string, replace = false) =>
  upstreams.registerUpstream(
    sql,
    ADA,
    {
      name,
      url: 'https://127.0.0.1:9/v1',
      hostname: 'vendor.localhost',
      roots,
      requireLeafName: true,
      attested: undefined,
      pins: [one],
      apiKey: SECRET,
    },
    { secret: () => Buffer.from('secret'), replace },
  )
const newUpstream = async (): Promise<string> => (await register(`vendor-${++names}`))!.name

test('each act on an upstream leaves its row, and no key stands in it', async () => {
  const name = await newUpstream()
  await upstreams.changePins(sql, ADA, name, { add: [two], remove: [one] })
  await upstreams.changeUpstream(sql, ADA, name, 'attest')
  await upstreams.changeUpstream(sql, ADA, name, 'disable')
  await upstreams.changeUpstream(sql, ADA, name, 'enable')
  expect(await actsOn(name)).toEqual([
    'upstream_registered',
    'deployment_pinned',
    'deployment_unpinned',
    'upstream_attested',
    'upstream_disabled',
    'upstream_enabled',
  ])
  const rows = await listAudit(sql, { subject: name, limit: 100 })
  expect(rows[0]).toEqual({
    id: expect.stringMatching(/^aud_[0-9A-HJKMNP-TV-Z]{26}$/),
    at: expect.any(Date),
    actor: ADA.name,
    through: 'console',
    act: 'upstream_enabled',
    subject: name,
    details: {},
  })
  expect(rows.at(-1)?.details).toMatchObject({ hostname: 'vendor.localhost', pins: one, api_key: 'stored' })
  expect(rows.find(({ act }) => act === 'deployment_pinned')?.details).toEqual({ evidence_digest: two })
  expect(JSON.stringify(rows)).not.toContain(SECRET)
})

test('an act that is refused leaves nothing', async () => {
  const name = await newUpstream()
  await upstreams.changeUpstream(sql, ADA, name, 'disable')
  const before = await count()
  expect(await register(name)).toBeUndefined()
  expect(await upstreams.changeUpstream(sql, ADA, name, 'attest')).toBeUndefined()
  expect(await upstreams.changePins(sql, ADA, 'nobody', { add: [one], remove: [] })).toBeUndefined()
  expect(await upstreams.changeUpstream(sql, ADA, 'nobody', 'disable')).toBeUndefined()
  expect(await invitations.withdraw(sql, ADA, { id: 'inv_x' })).toBeUndefined()
  expect(await creditWorkspace(sql, ADA, creditOf('ws_x'))).toBeUndefined()
  expect(await workspaces.limit(sql, ADA, 'ws_x', { requestsPerMinute: 1 })).toBeUndefined()
  expect(await keys.create(sql, ADA, 'ws_x', { name: 'n' })).toBeUndefined()
  expect(await keys.update(sql, ADA, 'key_x', { name: 'n' })).toBeUndefined()
  expect(await keys.revoke(sql, ADA, 'key_x')).toBeUndefined()
  expect(await count()).toBe(before)
})

const creditOf = (workspaceId: string, amountMicros = 5n, idempotencyKey?: string) => {
  return { workspaceId, amountMicros, reason: 'Invoice 17', idempotencyKey }
}

test('invitations, workspaces and keys leave their rows, without code and key; again is no second act', async () => {
  const { id: invitation, code } = await invitations.issue(sql, ADA, { grantMicros: 7n })
  await invitations.withdraw(sql, ADA, { code })
  await invitations.withdraw(sql, ADA, { id: invitation })
  expect(await actsOn(invitation)).toEqual(['invitation_issued', 'invitation_withdrawn'])
  const { id: workspace } = await workspaces.create(sql, ADA, 'Team')
  await workspaces.limit(sql, ADA, workspace, { requestsPerMinute: 3 })
  expect(await actsOn(workspace)).toEqual(['workspace_created', 'workspace_limited'])
  const made = await keys.create(sql, ADA, workspace, { name: 'n', spendLimitMicros: 9n })
  const { id: key } = made!.key
  await keys.update(sql, ADA, key, { spendLimitMicros: null })
  await keys.revoke(sql, ADA, key)
  await keys.revoke(sql, ADA, key)
  expect(await actsOn(key)).toEqual(['key_created', 'key_updated', 'key_revoked'])
  const rows = await listAudit(sql, { limit: 1_000 })
  expect(rows.find(({ act }) => act === 'key_updated')?.details).toEqual({
    workspace_id: workspace,
    spend_limit_micros: 'none',
  })
  expect(JSON.stringify(rows)).not.toContain(made!.plaintext)
  expect(JSON.stringify(rows)).not.toContain(code)
})

test('credit is one ledger row and one act, and neither is there without the other', async () => {
  const { id } = await createWorkspace(sql, 'Paying')
  const row = await creditWorkspace(sql, ADA, creditOf(id, 12n))
  expect(row).toMatchObject({ kind: 'top_up', amountMicros: 12n, balanceAfterMicros: 12n, number: 1n })
  expect(await creditWorkspace(sql, ADA, creditOf(id, -20n))).toMatchObject({
    kind: 'adjustment',
    balanceAfterMicros: -8n,
  })
  const [latest] = await listAudit(sql, { subject: id, limit: 1 })
  expect(latest).toMatchObject({
    act: 'workspace_credited',
    details: { kind: 'adjustment', amount_micros: '-20', reason: 'Invoice 17' },
  })
  await expect(creditWorkspace(sql, ADA, creditOf(id, 9_007_199_254_740_991n + 9n))).rejects.toThrow(
    'too large',
  )
  expect(await actsOn(id)).toHaveLength(2)
  const stranger: Actor = { name: '', through: 'console' }
  await expect(creditWorkspace(sql, stranger, creditOf(id))).rejects.toThrow()
  expect((await findWorkspace(sql, id))?.balanceMicros).toBe(-8n)
})

test('twenty attempts at once under one idempotency key move the balance once, and another amount is refused', async () => {
  const { id } = await createWorkspace(sql, 'Eager')
  const rows = await Promise.all(
    Array.from({ length: 20 }, () => creditWorkspace(sql, ADA, creditOf(id, 5n, 'once'))),
  )
  expect(new Set(rows.map((row) => row?.id)).size).toBe(1)
  expect((await findWorkspace(sql, id))?.balanceMicros).toBe(5n)
  expect(await actsOn(id)).toEqual(['workspace_credited'])
  await expect(creditWorkspace(sql, ADA, creditOf(id, 6n, 'once'))).rejects.toThrow('another amount')
  const other = { ...creditOf(id, 5n, 'once'), reason: 'Invoice 18' }
  await expect(creditWorkspace(sql, ADA, other)).rejects.toThrow('another amount or reason')
  expect(await actsOn(id)).toEqual(['workspace_credited'])
})

test('of administrators who act at once each act is written down, and one registers a name', async () => {
  const name = `vendor-${++names}`
  const registered = await Promise.all(Array.from({ length: 10 }, () => register(name)))
  expect(registered.filter(Boolean)).toHaveLength(1)
  await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((text) =>
      upstreams.changePins(sql, ADA, name, { add: [digestOf(text)], remove: [] }),
    ),
  )
  const events = (await listEvents(sql, { upstream: name, limit: 100 })).filter(
    ({ event }) => event === 'pinned',
  )
  expect(events).toHaveLength(6)
  expect(await actsOn(name)).toEqual(['upstream_registered', ...Array(6).fill('deployment_pinned')])
  const { id } = await invitations.issue(sql, ADA, { grantMicros: 1n })
  await Promise.all(Array.from({ length: 10 }, () => invitations.withdraw(sql, ADA, { id })))
  expect(await actsOn(id)).toEqual(['invitation_issued', 'invitation_withdrawn'])
})

test('strange names are kept as they are, and half a surrogate pair does no harm', async () => {
  const name = '<script>alert(1)</script> \u202Eevil\u202C =cmd() \uD83D'
  const { id } = await workspaces.create(sql, { name: 'x'.repeat(320), through: 'command_line' }, name)
  const [row] = await listAudit(sql, { subject: id, limit: 1 })
  expect(row?.details.name).toBe(name.toWellFormed())
  expect(row?.actor).toHaveLength(320)
})

test.each([
  ['changed', () => sql`update audit set actor = 'somebody else'`],
  ['taken away', () => sql`delete from audit`],
  ['cleared', () => sql`truncate audit`],
  ['changed during replication', () => replicating((open) => open`update audit set actor = 'x'`)],
])('the log cannot be %s', async (_, change) => {
  const before = await count()
  await expect(change()).rejects.toThrow('append-only')
  expect(await count()).toBe(before)
})

function replicating(change: (transaction: Queryable) => PromiseLike<unknown>): Promise<void> {
  return sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`
    await change(transaction)
  })
}

test('every act of the contract can be written down, and nothing else', async () => {
  for (const act of auditActs) {
    await audited(
      sql,
      ADA,
      async () => ({}),
      () => [{ act, subject: `all-${act}` }],
    )
    expect(await actsOn(`all-${act}`)).toEqual([act])
  }
  const act = 'coffee_made' as never
  await expect(
    audited(
      sql,
      ADA,
      async () => ({}),
      () => [{ act, subject: 's' }],
    ),
  ).rejects.toThrow('audit')
})

test('pages of acts go on behind a row while others are added', async () => {
  const actor = { name: 'pager', through: 'console' } as const
  for (const name of ['a', 'b', 'c', 'd', 'e']) await workspaces.create(sql, actor, name)
  const all = await listAudit(sql, { actor: 'pager', limit: 10 })
  const first = await listAudit(sql, { actor: 'pager', limit: 2 })
  await workspaces.create(sql, actor, 'f')
  const rest = await listAudit(sql, { actor: 'pager', limit: 10, after: first.at(-1)! })
  expect([...first, ...rest]).toEqual(all)
  expect(all.map(({ details }) => details.name)).toEqual(['e', 'd', 'c', 'b', 'a'])
  const [middle] = all.slice(2, 3)
  const since = await listAudit(sql, { actor: 'pager', from: middle!.at, limit: 10 })
  expect(since.length).toBeGreaterThanOrEqual(4)
  expect(await listAudit(sql, { actor: 'pager', to: all.at(-1)!.at, limit: 10 })).toEqual([])
})

const far = { at: new Date('2030-01-01T00:00:00Z'), id: 'aud_x' }
test.each<[string, Partial<AuditQuery>]>([
  ['audit_at', {}],
  ['audit_at', { after: far }],
  ['audit_at', { from: far.at }],
  ['audit_actor', { actor: 'ada', after: far }],
  ['audit_act', { act: 'key_revoked', after: far }],
  ['audit_subject', { subject: 'vendor', after: far }],
])('a page is read from the index %s', async (index, query) => {
  await sql.begin(async (transaction) => {
    // Few rows are read faster without an index.
    await transaction`set local enable_seqscan = off`
    await transaction`set local enable_sort = off`
    const statement = auditStatement(transaction, { ...query, limit: 51 })
    const plan = await transaction`explain ${statement}`
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      new RegExp(`Scan Backward using ${index} `),
    )
  })
})
