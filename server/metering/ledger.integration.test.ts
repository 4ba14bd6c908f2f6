import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { BalanceError, postEntry } from './ledger.ts'
import { type Account, createAccount, finished, startMeter } from './testing.ts'
import { verifyLedger } from './verify-ledger.ts'

let server: TestServer
let sql: Sql
let account: Account

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  sql = (await server.open(4)).sql
  account = await createAccount(sql, { balanceMicros: 5_000_000n })
})

const topUp = { kind: 'top_up', amountMicros: 1_000_000n, description: 'Thanks' } as const

test('an entry moves the balance and says what it is now', async () => {
  const { workspaceId } = account
  const posted = await postEntry(sql, { ...topUp, workspaceId, reference: 'invoice 1' })
  expect(posted).toMatchObject({ balanceAfterMicros: 6_000_000n, isRepeated: false })
  const adjusted = await postEntry(sql, {
    ...topUp,
    workspaceId,
    kind: 'adjustment',
    amountMicros: -7_000_000n,
  })
  expect(adjusted?.balanceAfterMicros).toBe(-1_000_000n)
  expect((await findWorkspace(sql, workspaceId))?.balanceMicros).toBe(-1_000_000n)
})

test('a balance that no JSON integer could hold is refused, and nothing is written', async () => {
  const { workspaceId } = account
  const entry = { ...topUp, workspaceId, amountMicros: 9_007_199_254_740_991n }
  await expect(postEntry(sql, entry)).rejects.toThrow(BalanceError)
  expect((await findWorkspace(sql, workspaceId))?.balanceMicros).toBe(5_000_000n)
  expect((await verifyLedger(sql)).differences).toEqual([])
})

test('the same idempotency key, ten times at once, counts once', async () => {
  const entry = { ...topUp, workspaceId: account.workspaceId, idempotencyKey: 'invitation:a:b' }
  const posted = await Promise.all(Array.from({ length: 10 }, () => postEntry(sql, entry)))
  expect(posted.filter((one) => !one?.isRepeated)).toHaveLength(1)
  expect(new Set(posted.map((one) => one?.id)).size).toBe(1)
  expect((await findWorkspace(sql, account.workspaceId))?.balanceMicros).toBe(6_000_000n)
  await expect(postEntry(sql, { ...entry, amountMicros: 2n })).rejects.toThrow('with another amount')
})

test('an unknown workspace gets nothing', async () => {
  expect(await postEntry(sql, { ...topUp, workspaceId: 'ws_unknown' })).toBeUndefined()
  expect(await verifyLedger(sql)).toMatchObject({ entries: 1 })
})

test('a sound ledger has no differences and counts what there is', async () => {
  const meter = await startMeter(sql)
  await (await meter.accept(account.applicant())).settle(finished)
  const running = await meter.accept(account.applicant())
  expect(await verifyLedger(sql)).toEqual({
    workspaces: 1,
    entries: 2,
    generations: 1,
    open_holds: 1,
    detached_months: 0,
    differences: [],
  })
  await running.settle(finished)
  await meter.stop()
})

const forge = (statement: string): string => `
  alter table ledger disable trigger all; alter table generations disable trigger all; ${statement}`

test.each([
  ['a balance', ['balance'], 'update workspaces set balance_micros = balance_micros + 1'],
  ['the held sums', ['held'], 'update workspaces set held_micros = 5'],
  ['a key’s held sum', ['key_held'], 'update api_keys set held_micros = 5'],
  ['a key’s spend', ['key_spent'], 'update api_keys set spent_micros = spent_micros + 1'],
  ['a missing hold', ['held', 'key_held'], 'delete from holds'],
  ['the count of entries', ['entries'], 'update workspaces set ledger_entries = 7'],
  [
    'a balance after',
    ['balance_after'],
    forge('update ledger set balance_after_micros = 0 where number = 1'),
  ],
  [
    'a missing debit',
    ['balance', 'balance_after', 'debit', 'entries'],
    forge('delete from ledger where number = 2'),
  ],
  ['a missing record', ['debit', 'key_spent', 'usage'], forge('delete from generations')],
  ['a false cost', ['cost', 'debit', 'key_spent', 'usage'], forge('update generations set cost_micros = 22')],
  ['a false token count', ['cost', 'usage'], forge('update generations set completion_tokens = 99')],
  ['a sum of a day’s usage', ['usage'], `update usage_totals set requests = 9 where grain = 'day'`],
  ['a missing sum of usage', ['usage'], `delete from usage_totals where grain = 'hour'`],
])('%s that does not add up is found', async (_, checks, statement) => {
  const meter = await startMeter(sql)
  for (let request = 1; request <= 2; request++) {
    await (await meter.accept(account.applicant())).settle(finished)
  }
  const running = await meter.accept(account.applicant())
  await sql.unsafe(statement)
  const { differences } = await verifyLedger(sql)
  expect([...new Set(differences.map((difference) => difference.check))]).toEqual(checks)
  expect(differences.every((difference) => difference.workspace_id === account.workspaceId)).toBe(true)
  await running.settle(finished).catch(() => {})
  await meter.stop()
})
