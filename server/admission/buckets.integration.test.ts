import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiError, asApiError } from '../errors.ts'
import { type Buckets, createBuckets } from '../limits/buckets.ts'
import { createMemoryStore } from '../limits/memory.ts'
import type { Meter } from '../meter.ts'
import {
  type Account,
  createAccount,
  finished,
  HOLD_MICROS,
  introduce,
  losingAnswers,
  startMeter,
} from '../metering/testing.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Sql } from '../store/connection.ts'
import { revokeKey, updateKey } from '../store/keys.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { setWorkspaceLimits } from '../store/workspaces.ts'

const unlimited = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  workspaceRequestsPerMinute: null,
  workspaceTokensPerMinute: null,
}
const defaults = { requestsPerMinute: 10, tokensPerMinute: 1_000 }

let server: TestServer
let sql: Sql
let nowMs: number
let buckets: Buckets
let meter: Meter

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
})

afterAll(() => server.stop())

beforeEach(async () => {
  nowMs = 1_767_225_600_000
  buckets = createBuckets(
    createMemoryStore(() => nowMs),
    defaults,
  )
  meter = await startMeter(sql, { buckets })
  return () => meter.stop()
})

const refusalOf = async (account: Account, change = {}): Promise<ApiError> =>
  meter.accept(account.applicant(change)).then(() => {
    throw new Error('This should have been refused.')
  }, asApiError)

const use = async (account: Account): Promise<void> => {
  await (await meter.accept(account.applicant())).settle(finished)
}

const countHolds = async ({ workspaceId }: Account): Promise<number> =>
  (await sql`select from holds where workspace_id = ${workspaceId}`).length

/** Takes all that the workspace's request bucket still holds, and tells how much it was. */
async function remaining({ workspaceId }: Account): Promise<number> {
  const own = { requestsPerMinute: 1e6, tokensPerMinute: 1e6 }
  const other = { ...unlimited, keyId: 'key_other', workspaceId, ...own }
  for (let count = 0; ; count++) if (!(await buckets.take(other)).admits) return count
}

test('a key’s own limit holds from its very first request, which its router knows nothing of', async () => {
  const account = await createAccount(sql, { requestsPerMinute: 2 })
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => use(account)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await refusalOf(account)).toMatchObject({
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': '30', 'retry-after-ms': '30000', 'X-RateLimit-Limit': '2' },
  })
})

test('a changed limit holds from the next request on', async () => {
  const account = await createAccount(sql, { requestsPerMinute: 1 })
  await use(account)
  expect((await refusalOf(account)).code).toBe('rate_limit_exceeded')
  await updateKey(sql, account.keyId, { requestsPerMinute: null, tokensPerMinute: 40 })
  // The bucket refills at the new rate from what it held.
  nowMs += 6_000
  await use(account)
  nowMs += 6_000
  expect(await refusalOf(account)).toMatchObject({
    headers: { 'X-RateLimit-Limit': '40', 'X-RateLimit-Remaining': '0' },
  })
})

test('a workspace’s own limits hold from the next request on, for its keys without values of their own too', async () => {
  const account = await createAccount(sql)
  const modest = await createAccount(sql, { requestsPerMinute: 1 })
  const admittedOf = async (one: Account) => (await meter.accept(one.applicant())).rateLimit
  expect(await admittedOf(account)).toMatchObject({ limit: 10, remaining: 9 })
  await setWorkspaceLimits(sql, account.workspaceId, { requestsPerMinute: 12, tokensPerMinute: 40 })
  await setWorkspaceLimits(sql, modest.workspaceId, { requestsPerMinute: 100 })
  // The bucket refills at the new rate from what it held.
  expect(await admittedOf(account)).toMatchObject({ limit: 12, remaining: 8 })
  expect(await admittedOf(modest)).toMatchObject({ limit: 1, remaining: 0 })
  await use(account)
  expect(await refusalOf(account)).toMatchObject({
    message: expect.stringContaining('tokens a minute of this key'),
    headers: { 'X-RateLimit-Limit': '40' },
  })
  await setWorkspaceLimits(sql, account.workspaceId, { requestsPerMinute: null, tokensPerMinute: null })
  nowMs += 60_000
  expect(await admittedOf(account)).toMatchObject({ limit: 10 })
})

test('a workspace’s own limits hold for a large body before it is read', async () => {
  const account = await createAccount(sql)
  await setWorkspaceLimits(sql, account.workspaceId, { requestsPerMinute: 1 })
  const reserve = () => meter.reserve(account.caller, false)
  expect(await reserve()).toMatchObject({ taken: { admits: true, state: { limit: 1 } } })
  await expect(reserve()).rejects.toMatchObject({ headers: { 'X-RateLimit-Limit': '1' } })
})

test('a request is told the tighter of its request buckets', async () => {
  const account = await createAccount(sql, { requestsPerMinute: 5 })
  const { rateLimit } = await meter.accept(account.applicant())
  expect(rateLimit).toMatchObject({ limit: 5, remaining: 4, waitMs: 0 })
})

describe('when the buckets refuse too, the answer is', () => {
  test.each([
    ['402 insufficient_credits', { balanceMicros: 0n }, {}, 'insufficient_credits'],
    ['402 key_spend_limit_reached', { spendLimitMicros: 0n }, {}, 'key_spend_limit_reached'],
    ['403 model_not_in_key_scope', { modelScope: ['other'] }, {}, 'model_not_in_key_scope'],
  ])('%s', async (_, settings, change, code) => {
    const account = await createAccount(sql, settings)
    await remaining(account)
    expect((await refusalOf(account, change)).code).toBe(code)
    expect((await refusalOf(account, change)).code).toBe(code)
  })

  test('401 api_key_revoked', async () => {
    const account = await createAccount(sql)
    await use(account)
    await remaining(account)
    await revokeKey(sql, account.keyId)
    expect((await refusalOf(account)).code).toBe('api_key_revoked')
  })

  test('429 otherwise, and no hold is placed', async () => {
    const account = await createAccount(sql)
    await remaining(account)
    expect((await refusalOf(account)).code).toBe('rate_limit_exceeded')
    expect(await countHolds(account)).toBe(0)
  })
})

describe('what a request took is given back when it is refused', () => {
  test('for credit', async () => {
    const account = await createAccount(sql, { balanceMicros: BigInt(HOLD_MICROS) })
    const running = await meter.accept(account.applicant())
    for (let count = 0; count < 30; count++) {
      expect((await refusalOf(account)).code).toBe('insufficient_credits')
    }
    await running.settle(finished)
    expect(await remaining(account)).toBe(9)
  })

  test('for its spend limit', async () => {
    const account = await createAccount(sql, { spendLimitMicros: BigInt(HOLD_MICROS) })
    await meter.accept(account.applicant())
    for (let count = 0; count < 30; count++) {
      expect((await refusalOf(account)).code).toBe('key_spend_limit_reached')
    }
    expect(await remaining(account)).toBe(9)
  })

  test('for its scope', async () => {
    const account = await createAccount(sql, { modelScope: ['demo/tiny-chat'] })
    await use(account)
    for (let count = 0; count < 30; count++) {
      expect((await refusalOf(account, { model: 'other' })).code).toBe('model_not_in_key_scope')
    }
    expect(await remaining(account)).toBe(9)
  })

  test('because its key was revoked meanwhile', async () => {
    const account = await createAccount(sql)
    await use(account)
    await revokeKey(sql, account.keyId)
    const refusals = await Promise.all(Array.from({ length: 30 }, () => refusalOf(account)))
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['api_key_revoked']))
    expect(await remaining(account)).toBe(9)
  })

  test('because the database is away', async () => {
    const answers = losingAnswers(sql, 'admit_generations')
    const cut = await startMeter(answers.sql, { buckets, timers: { outageMs: 100 } })
    const account = await createAccount(sql)
    await introduce(cut, account)
    answers.lose(Number.POSITIVE_INFINITY)
    await expect(cut.accept(account.applicant())).rejects.toThrow('no answer within')
    expect(await remaining(account)).toBe(9)
    answers.lose(0)
    await cut.stop()
  })
})

test('a request may overshoot by its own size, and the debt is repaid before the next one', async () => {
  const account = await createAccount(sql)
  const running = await meter.accept(account.applicant())
  await running.settle({ ...finished, usage: { promptTokens: 1_000, completionTokens: 1_500 } })
  expect(await refusalOf(account)).toMatchObject({
    code: 'rate_limit_exceeded',
    headers: {
      'Retry-After': '60',
      'retry-after-ms': '60000',
      'X-RateLimit-Limit': '1000',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(1_767_225_600 + 91),
    },
  })
  nowMs += 90_000
  expect((await refusalOf(account)).headers).toMatchObject({ 'Retry-After': '1', 'retry-after-ms': '1' })
  nowMs += 1
  await use(account)
})

test('whoever has seen the end of an answer finds its tokens taken', async () => {
  const account = await createAccount(sql, { tokensPerMinute: 46 })
  await use(account)
  expect((await refusalOf(account)).headers).toMatchObject({ 'X-RateLimit-Limit': '46' })
})

test('after a thousand requests of every fate nothing is in flight, no hold is open and no budget is lost', async () => {
  const wide = createBuckets(
    createMemoryStore(() => nowMs),
    { requestsPerMinute: 250, tokensPerMinute: 100_000 },
  )
  // A thousand at once may take a busy machine longer than an outage, which would be a fate of its own.
  const busy = await startMeter(sql, { buckets: wide, timers: { outageMs: 60_000 } })
  // A 402 comes before a 429 (CRED-19): who of one account meets which is a matter of time.
  const poor = await createAccount(sql, { balanceMicros: BigInt(50 * HOLD_MICROS) })
  const hurried = await createAccount(sql)
  for (const account of [poor, hurried]) await introduce(busy, account)
  const before = await Promise.all([poor, hurried].map(left))

  async function left(account: Account): Promise<number> {
    const { state } = await wide.take({ ...unlimited, ...account })
    await wide.giveBack({ ...unlimited, ...account })
    return state.remaining + 1
  }

  async function meet(account: Account, index: number): Promise<string> {
    const status = index % 2 === 0 ? 'ok' : 'aborted'
    const key = index % 10 === 0 ? { model: 'nul\0' } : {}
    try {
      const running = await busy.accept(account.applicant(key))
      await running.settle({ ...finished, status })
      return status
    } catch (error) {
      return asApiError(error).code
    }
  }

  const rush = (account: Account, length: number) =>
    Promise.all(Array.from({ length }, (_, index) => meet(account, index)))
  const fates = await Promise.all([rush(poor, 200), rush(hurried, 800)])
  const served = fates.map((one) => one.filter((fate) => fate === 'ok' || fate === 'aborted').length)
  expect(new Set(fates[0])).toEqual(new Set(['ok', 'aborted', 'insufficient_credits', 'internal']))
  expect(new Set(fates[1])).toEqual(new Set(['ok', 'aborted', 'rate_limit_exceeded', 'internal']))
  expect(busy.runningCount).toBe(0)
  expect(await Promise.all([poor, hurried].map(countHolds))).toEqual([0, 0])
  expect((await verifyLedger(sql)).differences).toEqual([])
  expect(await Promise.all([poor, hurried].map(left))).toEqual(before.map((had, who) => had - served[who]!))
  await busy.stop()
})
