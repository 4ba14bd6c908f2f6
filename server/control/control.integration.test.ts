import { afterAll, beforeAll, expect, test } from 'vitest'
import { isControlBooks } from '#contract/validators/control-books'
import { isControlDebits } from '#contract/validators/control-debits'
import { isControlInvitation } from '#contract/validators/control-invitation'
import { createShelf } from '../publication/shelf.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { type Control, startControl } from './control.ts'

let server: TestServer
let sql: Sql
let control: Control

beforeAll(async () => {
  server = await startTestServer()
  ;({ sql } = await server.open())
  control = await startControl({ ...world(), address: { host: '127.0.0.1', port: 0 } })
})

afterAll(async () => {
  await control.stop()
  await server.stop()
})

/** A router that knows of no upstream and has fetched nothing. */
function world() {
  const upstreams = { find: () => undefined }
  return {
    sql,
    upstreams,
    secret: () => Buffer.alloc(32),
    shelf: createShelf(),
    endpoints: () => [],
    lostLimits: () => 7,
  }
}

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function ask(operation: string, request: unknown = {}, headers = {}): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${control.port}/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

async function newWorkspace(balance = 0): Promise<string> {
  const { body } = await ask('createWorkspace', { balance_micros: balance })
  return String(body.id)
}

test('a workspace is made with a balance, and its books show where it came from', async () => {
  const id = await newWorkspace(5_000_000)
  const { body } = await ask('books', { workspace_id: id })
  expect(isControlBooks(body)).toBe(true)
  expect(body).toMatchObject({
    balance_micros: 5_000_000,
    entries: [{ kind: 'top_up', amount_micros: 5_000_000, balance_after_micros: 5_000_000 }],
    generations: [],
    holds: [],
    keys: [],
  })
})

test('a workspace is made with limits of its own, and with one of the two', async () => {
  for (const [limits, expected] of [
    [
      { requests_per_minute: 7, tokens_per_minute: 8 },
      { requestsPerMinute: 7, tokensPerMinute: 8 },
    ],
    [{ requests_per_minute: 9 }, { requestsPerMinute: 9, tokensPerMinute: null }],
  ] as const) {
    const { body } = await ask('createWorkspace', limits)
    expect(await findWorkspace(sql, String(body.id))).toMatchObject(expected)
  }
})

test.each([7, -3, 0, 12_000_000])('a balance is moved to %i by one adjustment', async (micros) => {
  const id = await newWorkspace(10)
  expect(await ask('setBalance', { workspace_id: id, balance_micros: micros })).toMatchObject({
    status: 200,
    body: { id, balance_micros: micros },
  })
  const { body } = await ask('books', { workspace_id: id })
  expect(body).toMatchObject({ balance_micros: micros })
  expect(body.entries).toHaveLength(2)
  expect((await ask('verifyLedger')).body).toEqual({ open_holds: 0, differences: [] })
})

test('a key is made with any settings, changed and revoked', async () => {
  const workspace_id = await newWorkspace()
  const expires_at = '2030-01-01T00:00:00.000Z'
  const settings = {
    model_scope: ['a/b'],
    requests_per_minute: 3,
    tokens_per_minute: 4,
    spend_limit_micros: 5,
  }
  const { body: key } = await ask('createKey', { workspace_id, name: 'n', ...settings, expires_at })
  expect(key).toMatchObject({ workspace_id, state: 'active', spent_micros: 0, revoked_at: null })
  expect(key.api_key).toMatch(/^sk-tee-v1-[A-Za-z0-9_-]{43}$/)
  const [row] = await sql`select * from api_keys where id = ${String(key.id)}`
  expect(row).toMatchObject({
    name: 'n',
    model_scope: ['a/b'],
    requests_per_minute: 3,
    tokens_per_minute: 4n,
    spend_limit_micros: 5n,
    expires_at: new Date(expires_at),
  })
  const expired = await ask('updateKey', {
    id: key.id,
    expires_at: '2020-01-01T00:00:00Z',
    model_scope: null,
  })
  expect(expired.body).toMatchObject({ state: 'expired' })
  expect((await ask('updateKey', { id: key.id, expires_at: null })).body).toMatchObject({ state: 'active' })
  const revoked = await ask('revokeKey', { id: key.id })
  expect(revoked.body).toMatchObject({ state: 'revoked' })
  expect((await ask('revokeKey', { id: key.id })).body).toEqual(revoked.body)
})

test('a key can be revoked from the start', async () => {
  const { body } = await ask('createKey', { workspace_id: await newWorkspace(), revoked: true })
  expect(body).toMatchObject({ state: 'revoked', revoked_at: expect.any(String) })
})

test('an invitation is issued, redeemed once for an account, and withdrawn', async () => {
  const { body: issued } = await ask('issueInvitation', { grant_micros: 7, note: 'n', max_redemptions: 2 })
  expect(isControlInvitation(issued)).toBe(true)
  expect(issued).toMatchObject({ grant_micros: 7, max_redemptions: 2, redemptions: 0, note: 'n' })
  const workspace_id = await newWorkspace()
  const redeem = (code: unknown) => ask('redeemInvitation', { code, account: 'acc_1', workspace_id })
  expect((await redeem(issued.code)).body).toEqual({ granted_micros: 7 })
  expect((await redeem(issued.code)).body).toEqual({ granted_micros: null })
  expect((await redeem('nonsense')).body).toEqual({ granted_micros: null })
  expect((await ask('books', { workspace_id })).body).toMatchObject({
    balance_micros: 7,
    entries: [{ kind: 'invitation', amount_micros: 7 }],
  })
  const { body: withdrawn } = await ask('withdrawInvitation', { code: issued.code })
  expect(withdrawn).toMatchObject({ redemptions: 1, withdrawn_at: expect.any(String) })
})

test('of the books there is also what given rules speak of alone', async () => {
  const workspace_id = await newWorkspace(5)
  const { body } = await ask('debits', { workspace_id })
  expect(isControlDebits(body)).toBe(true)
  expect(body).toEqual({
    balance_micros: 5,
    rows: [{ amount_micros: 5, generation_id: null, name: expect.any(String) }],
    generations: [],
  })
})

test('it tells how often limits were counted without the store that routers share', async () => {
  expect(await ask('lostLimits')).toEqual({ status: 200, body: { count: 7 } })
})

test.each([
  ['an unknown operation', 'dance', {}, /not offered/],
  ['one that comes later', 'advanceClock', { milliseconds: 5 }, /not offered/],
  ['an unknown workspace', 'createKey', { workspace_id: 'ws_x' }, /no workspace ws_x/],
  ['an unknown workspace of books', 'books', { workspace_id: 'ws_x' }, /no workspace ws_x/],
  ['an unknown invitation', 'withdrawInvitation', { code: 'x' }, /no invitation x/],
  ['an unknown key', 'revokeKey', { id: 'key_x' }, /no key key_x/],
  ['a missing member', 'setBalance', { workspace_id: 'ws_x' }, /required property 'balance_micros'/],
  ['a member of another type', 'createWorkspace', { balance_micros: '5' }, /must be integer/],
])('%s is refused with the reason', async (_, operation, request, message) => {
  const { status, body } = await ask(operation, request)
  expect(status).toBe(400)
  expect((body.error as { message: string }).message).toMatch(message)
})

test('pages of a browser are refused, and so is anything but a POST', async () => {
  expect((await ask('createWorkspace', {}, { origin: 'http://127.0.0.1' })).status).toBe(400)
  expect((await fetch(`http://127.0.0.1:${control.port}/createWorkspace`)).status).toBe(400)
})

test('it listens on loopback or not at all', async () => {
  const address = { host: '0.0.0.0', port: 0 }
  await expect(startControl({ ...world(), address })).rejects.toThrow(/not a loopback address/)
})
