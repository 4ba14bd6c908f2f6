import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silent } from '../log.ts'
import {
  createAccount,
  finished,
  HOLD_MICROS,
  introduce,
  losingAnswers,
  startMeter,
  wideBuckets,
} from '../metering/testing.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import { connect, type Sql } from '../store/connection.ts'
import { createDatabaseClock } from '../store/database-clock.ts'
import { createId } from '../store/ids.ts'
import { revokeKey, updateKey } from '../store/keys.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { createGate } from './gate.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
})

afterAll(() => server.stop())

function admission(allowOverdraftMicros = 0) {
  const options = {
    replica: createId('rep_'),
    allowOverdraftMicros: () => allowOverdraftMicros,
    clock: createDatabaseClock(),
    outageMs: 5_000,
    log: silent,
  }
  return createGate({ sql, ...options, buckets: wideBuckets(), onUncertain: () => {} })
}

const countHolds = async (workspaceId: string): Promise<number> => {
  const [row] = await sql`select count(*)::integer from holds where workspace_id = ${workspaceId}`
  return row?.count
}

async function codes(results: Promise<PromiseSettledResult<unknown>[]>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const result of await results) {
    const code = result.status === 'fulfilled' ? 'admitted' : String(result.reason.code)
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

test('an admitted request has a durable hold with all that settling it takes', async () => {
  const account = await createAccount(sql)
  const applicant = account.applicant({ evidenceDigest: `sha256/${'A'.repeat(43)}` })
  expect(await admission().admit(applicant)).toMatchObject({
    ...applicant.generation,
    key: { workspaceId: account.workspaceId, keyId: account.keyId },
  })
  const [hold] = await sql`select * from holds where generation_id = ${applicant.generation.id}`
  expect(hold).toMatchObject({
    workspace_id: account.workspaceId,
    key_id: account.keyId,
    amount_micros: BigInt(HOLD_MICROS),
    operation: 'chat',
    streamed: true,
    model: 'demo/tiny-chat',
    endpoint: 'demo',
    evidence_digest: applicant.generation.evidenceDigest,
    prompt_price_micros: 150_000n,
    completion_price_micros: 600_000n,
    prompt_tokens: 12n,
    completion_tokens: 0n,
    created_at: applicant.generation.createdAt,
  })
  expect((await findWorkspace(sql, account.workspaceId))?.heldMicros).toBe(BigInt(HOLD_MICROS))
})

describe('a key that is', () => {
  test('unknown is invalid_api_key', async () => {
    const account = await createAccount(sql)
    const applicant = account.applicant({ caller: { ...account.caller, keyHash: '00'.repeat(32) } })
    await expect(admission().admit(applicant)).rejects.toMatchObject({
      code: 'invalid_api_key',
      message: expect.stringContaining('`Authorization: Bearer <API_KEY>`'),
    })
  })

  test('revoked is api_key_revoked on the very next request', async () => {
    const account = await createAccount(sql)
    const gate = admission()
    await gate.admit(account.applicant())
    await revokeKey(sql, account.keyId)
    await expect(gate.admit(account.applicant())).rejects.toMatchObject({ code: 'api_key_revoked' })
    expect(await countHolds(account.workspaceId)).toBe(1)
  })

  test('expired is api_key_expired by the database’s clock', async () => {
    const account = await createAccount(sql, { expiresAt: new Date(0) })
    await expect(admission().admit(account.applicant())).rejects.toMatchObject({ code: 'api_key_expired' })
    await updateKey(sql, account.keyId, { expiresAt: null })
    await expect(admission().admit(account.applicant())).resolves.toMatchObject({
      key: { keyId: account.keyId },
    })
  })

  test('restricted to other models is model_not_in_key_scope', async () => {
    const account = await createAccount(sql, { modelScope: ['demo/other'] })
    await expect(admission().admit(account.applicant())).rejects.toMatchObject({
      code: 'model_not_in_key_scope',
      param: 'model',
    })
    await expect(admission().admit(account.applicant({ model: 'demo/other' }))).resolves.toBeDefined()
  })
})

describe('credit', () => {
  test('of one micro-dollar admits one request, and no second beside it', async () => {
    const account = await createAccount(sql, { balanceMicros: 1n })
    const gate = admission()
    await gate.admit(account.applicant())
    await expect(gate.admit(account.applicant())).rejects.toMatchObject({ code: 'insufficient_credits' })
  })

  test('for one lets one of 100 parallel requests through, however many routers ask', async () => {
    const account = await createAccount(sql, { balanceMicros: BigInt(HOLD_MICROS) })
    const gates = [admission(), admission(), admission()]
    const requests = Array.from({ length: 100 }, (_, i) => gates[i % 3]!.admit(account.applicant()))
    expect(await codes(Promise.allSettled(requests))).toEqual({ admitted: 1, insufficient_credits: 99 })
    expect(await countHolds(account.workspaceId)).toBe(1)
  })

  test('of $5.00 lets 20 parallel requests without a cap through', async () => {
    const account = await createAccount(sql, { balanceMicros: 5_000_000n })
    const gate = admission()
    const requests = Array.from({ length: 20 }, () => gate.admit(account.applicant()))
    expect(await codes(Promise.allSettled(requests))).toEqual({ admitted: 20 })
    expect((await findWorkspace(sql, account.workspaceId))?.heldMicros).toBe(200_880n)
  })

  test('that is only held by others is told so, with Retry-After', async () => {
    const account = await createAccount(sql, { balanceMicros: 1n })
    const gate = admission()
    await gate.admit(account.applicant())
    await expect(gate.admit(account.applicant())).rejects.toMatchObject({
      code: 'insufficient_credits',
      message: expect.stringContaining('still running'),
      headers: { 'Retry-After': '1' },
    })
  })

  test('that is spent is told so, without Retry-After', async () => {
    const account = await createAccount(sql, { balanceMicros: 0n })
    const refusal = await admission()
      .admit(account.applicant())
      .catch((error) => error)
    expect(refusal).toMatchObject({
      code: 'insufficient_credits',
      message: expect.stringContaining('no credit'),
    })
    expect(refusal.headers).toEqual({})
  })

  test('is not asked of a model priced zero', async () => {
    const account = await createAccount(sql, { balanceMicros: -5n })
    const free = { holdMicros: 0, pricing: { promptMicros: 0, completionMicros: 0 } }
    await expect(admission().admit(account.applicant(free))).resolves.toBeDefined()
    await expect(admission().admit(account.applicant())).rejects.toMatchObject({
      code: 'insufficient_credits',
    })
  })

  test('may be overdrawn by the allowance and no further', async () => {
    const account = await createAccount(sql, { balanceMicros: -5n })
    await expect(admission(5).admit(account.applicant())).rejects.toMatchObject({
      code: 'insufficient_credits',
    })
    await expect(admission(6).admit(account.applicant())).resolves.toBeDefined()
  })
})

describe('a spend limit', () => {
  test('counts what the key’s running requests hold', async () => {
    const account = await createAccount(sql, { spendLimitMicros: BigInt(HOLD_MICROS) + 1n })
    const gate = admission()
    const requests = Array.from({ length: 5 }, () => gate.admit(account.applicant()))
    expect(await codes(Promise.allSettled(requests))).toEqual({ admitted: 2, key_spend_limit_reached: 3 })
  })

  test('counts what the key has spent', async () => {
    const account = await createAccount(sql, { spendLimitMicros: 46n })
    const meter = await startMeter(sql)
    for (let request = 1; request <= 2; request++) {
      await (await meter.accept(account.applicant())).settle(finished)
    }
    await expect(meter.accept(account.applicant())).rejects.toMatchObject({ code: 'key_spend_limit_reached' })
    await meter.stop()
  })

  test('of zero refuses even what costs nothing', async () => {
    const account = await createAccount(sql, { spendLimitMicros: 0n })
    const free = account.applicant({ holdMicros: 0 })
    await expect(admission().admit(free)).rejects.toMatchObject({ code: 'key_spend_limit_reached' })
  })

  test('comes after credit', async () => {
    const account = await createAccount(sql, { balanceMicros: 0n, spendLimitMicros: 0n })
    await expect(admission().admit(account.applicant())).rejects.toMatchObject({
      code: 'insufficient_credits',
    })
  })

  test('refuses without taking credit from the requests behind', async () => {
    const poor = { balanceMicros: BigInt(HOLD_MICROS), spendLimitMicros: 0n }
    const account = await createAccount(sql, poor)
    const gate = admission()
    const requests = [account.applicant(), account.applicant()].map((applicant) => gate.admit(applicant))
    expect(await codes(Promise.allSettled(requests))).toEqual({ key_spend_limit_reached: 2 })
    await updateKey(sql, account.keyId, { spendLimitMicros: null })
    await expect(gate.admit(account.applicant())).resolves.toBeDefined()
  })
})

test('one batch with several workspaces and keys answers each request with its own verdict', async () => {
  const [rich, poor] = [await createAccount(sql), await createAccount(sql, { balanceMicros: 0n })]
  const revoked = await createAccount(sql)
  await revokeKey(sql, revoked.keyId)
  const gate = admission()
  const accounts = [rich, poor, revoked, rich, poor]
  const results = await Promise.allSettled(accounts.map((account) => gate.admit(account.applicant())))
  expect(results).toMatchObject([
    { value: { key: { workspaceId: rich.workspaceId } } },
    { reason: { code: 'insufficient_credits' } },
    { reason: { code: 'api_key_revoked' } },
    { value: { key: { workspaceId: rich.workspaceId } } },
    { reason: { code: 'insufficient_credits' } },
  ])
})

test('a request that the database cannot take fails alone', async () => {
  const account = await createAccount(sql)
  const gate = admission()
  const applicants = [account.applicant(), account.applicant({ model: 'nul\0' }), account.applicant()]
  const results = await Promise.allSettled(applicants.map((applicant) => gate.admit(applicant)))
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a batch whose answer was lost admits again, without a second hold', async () => {
  const account = await createAccount(sql, { balanceMicros: BigInt(HOLD_MICROS + 1) })
  const answers = losingAnswers(sql, 'admit_generations')
  const meter = await startMeter(answers.sql)
  await introduce(meter, account)
  answers.lose(1)
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => meter.accept(account.applicant())))
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ])
  expect((await findWorkspace(sql, account.workspaceId))?.heldMicros).toBe(BigInt(2 * HOLD_MICROS))
  for (const result of results) if (result.status === 'fulfilled') await result.value.settle(finished)
  await meter.stop()
})

test('without prepared statements the verdicts are the same', async () => {
  const { url } = await server.open()
  const pooled = connect({ url, preparedStatements: false, maxConnections: 2 })
  const account = await createAccount(pooled, { balanceMicros: 1n })
  const meter = await startMeter(pooled)
  const running = await meter.accept(account.applicant())
  await expect(meter.accept(account.applicant())).rejects.toMatchObject({ code: 'insufficient_credits' })
  await running.settle(finished)
  expect(await verifyLedger(pooled)).toMatchObject({ generations: 1, open_holds: 0, differences: [] })
  await meter.stop()
  await pooled.end()
})
