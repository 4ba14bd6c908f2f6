import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { createWorkspace, findWorkspace } from '../store/workspaces.ts'
import { formatCode } from './code.ts'
import { findInvitation, issueInvitation, listInvitations, withdrawInvitation } from './invitations.ts'
import { redeemInvitation } from './redeem.ts'

const PARALLEL = 50
const past = new Date('2020-01-01T00:00:00Z')
const future = new Date('2100-01-01T00:00:00Z')

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

let accounts = 0

/** Redeems a code for an account; a new one with a workspace of its own unless one is given. */
async function redeem(code: string, account?: { accountId: string; workspaceId: string }) {
  const { id } = account ? { id: account.workspaceId } : await createWorkspace(sql, 'Invited')
  const redemption = account ?? { accountId: `acc_${++accounts}`, workspaceId: id }
  const grant = await redeemInvitation(sql, { ...redemption, code })
  return { ...redemption, grant, balance: (await findWorkspace(sql, id))!.balanceMicros }
}

test('an invitation grants once unless said otherwise, and shows what it is for', async () => {
  const issued = await issueInvitation(sql, { grantMicros: 5_000_000n, note: 'for a friend' })
  expect(issued).toMatchObject({
    id: expect.stringMatching(/^inv_/),
    grantMicros: 5_000_000n,
    maxRedemptions: 1,
    redemptions: 0,
    expiresAt: null,
    withdrawnAt: null,
    note: 'for a friend',
    isOpen: true,
  })
  expect(await findInvitation(sql, formatCode(issued.code).toLowerCase())).toEqual(issued)
  expect(await listInvitations(sql)).toContainEqual(issued)
})

test('a grant is a ledger row named Invitation credit, and the balance moves with it', async () => {
  const { id, code } = await issueInvitation(sql, { grantMicros: 2_500_000n })
  const { accountId, workspaceId, grant, balance } = await redeem(formatCode(code))
  expect(grant).toMatchObject({ invitationId: id, grantMicros: 2_500_000n, isRepeated: false })
  expect(balance).toBe(2_500_000n)
  expect(
    await sql`
      select id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key
      from ledger where workspace_id = ${workspaceId}`,
  ).toEqual([
    {
      id: grant!.ledgerId,
      kind: 'invitation',
      amount_micros: 2_500_000n,
      balance_after_micros: 2_500_000n,
      description: 'Invitation credit',
      reference: id,
      idempotency_key: `invitation:${id}:${accountId}`,
    },
  ])
})

test('the same account with the same code again is told of the grant that stands', async () => {
  const { code } = await issueInvitation(sql, { grantMicros: 100n, maxRedemptions: 5 })
  const first = await redeem(code)
  const second = await redeem(code, first)
  expect(second.grant).toEqual({ ...first.grant!, isRepeated: true })
  expect(second.balance).toBe(100n)
  expect(await findInvitation(sql, code)).toMatchObject({ redemptions: 1 })
})

test('an account is granted one invitation, ever, and the second code stays unused', async () => {
  const one = await issueInvitation(sql, { grantMicros: 100n })
  const other = await issueInvitation(sql, { grantMicros: 200n })
  const first = await redeem(one.code)
  const second = await redeem(other.code, first)
  expect(second).toMatchObject({ grant: undefined, balance: 100n })
  expect(await findInvitation(sql, other.code)).toMatchObject({ redemptions: 0 })
})

test('a code that is unknown, expired, used up or withdrawn grants nothing and is found by nobody', async () => {
  const expired = await issueInvitation(sql, { grantMicros: 100n, expiresAt: past })
  const used = await issueInvitation(sql, { grantMicros: 100n, expiresAt: future })
  await redeem(used.code)
  const withdrawn = await issueInvitation(sql, { grantMicros: 100n })
  await withdrawInvitation(sql, withdrawn.code)
  for (const code of [expired.code, used.code, withdrawn.code, '2222-2222-2222', 'no code', '']) {
    expect(await redeem(code)).toMatchObject({ grant: undefined, balance: 0n })
    expect(await findInvitation(sql, code)).toBeUndefined()
  }
})

test('withdrawing again keeps the first time, and what was granted stays', async () => {
  const { code } = await issueInvitation(sql, { grantMicros: 100n, maxRedemptions: 2 })
  const account = await redeem(code)
  const first = await withdrawInvitation(sql, code)
  const second = await withdrawInvitation(sql, formatCode(code))
  expect(first?.withdrawnAt).toBeInstanceOf(Date)
  expect(second).toEqual({ ...first!, isOpen: false, redemptions: 1 })
  expect((await findWorkspace(sql, account.workspaceId))!.balanceMicros).toBe(100n)
  expect(await withdrawInvitation(sql, '2222-2222-2222')).toBeUndefined()
})

test('fifty accounts that redeem a code for three at once are granted three times', async () => {
  const { code } = await issueInvitation(sql, { grantMicros: 1_000n, maxRedemptions: 3 })
  const results = await Promise.all(Array.from({ length: PARALLEL }, () => redeem(code)))
  expect(results.filter(({ grant }) => grant)).toHaveLength(3)
  expect(results.reduce((sum, { balance }) => sum + balance, 0n)).toBe(3_000n)
  const [row] = await sql`select redemptions from invitations where code = ${code}`
  expect(row).toEqual({ redemptions: 3 })
})

test('one account that redeems fifty codes at once is granted one of them', async () => {
  const codes = await Promise.all(
    Array.from({ length: PARALLEL }, () => issueInvitation(sql, { grantMicros: 1_000n })),
  )
  const { id: workspaceId } = await createWorkspace(sql, 'Eager')
  const account = { accountId: 'acc_eager', workspaceId }
  const results = await Promise.all(codes.map(({ code }) => redeem(code, account)))
  expect(results.filter(({ grant }) => grant)).toHaveLength(1)
  expect((await findWorkspace(sql, workspaceId))!.balanceMicros).toBe(1_000n)
  const [row] = await sql`
    select sum(redemptions)::integer as used from invitations where code in ${sql(codes.map(({ code }) => code))}`
  expect(row).toEqual({ used: 1 })
})

test('a grant belongs to the caller’s transaction: what is rolled back was never granted', async () => {
  const { code } = await issueInvitation(sql, { grantMicros: 100n })
  const { id: workspaceId } = await createWorkspace(sql, 'Undone')
  const undone = sql.begin(async (transaction) => {
    await redeemInvitation(transaction, { accountId: 'acc_undone', workspaceId, code })
    throw new Error('the account could not be made')
  })
  await expect(undone).rejects.toThrow('could not be made')
  expect(await findInvitation(sql, code)).toMatchObject({ redemptions: 0 })
  expect((await findWorkspace(sql, workspaceId))!.balanceMicros).toBe(0n)
})
