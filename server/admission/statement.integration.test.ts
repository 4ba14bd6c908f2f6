import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Account, createAccount, HOLD_MICROS } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { type Case, judgeBatch } from './statement.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  ;({ sql } = await server.open(4))
})

afterAll(() => server.stop())

function caseOf(account: Account): Case {
  const rates = {
    keyId: account.keyId,
    workspaceId: account.workspaceId,
    requestsPerMinute: null,
    tokensPerMinute: null,
    workspaceRequestsPerMinute: null,
    workspaceTokensPerMinute: null,
  }
  return {
    applicant: account.applicant(),
    buckets: { rates, admit: true },
    untilMs: Number.POSITIVE_INFINITY,
    isRetried: false,
  }
}

test('a key that appears while a batch waits for its workspaces fails none of the others', async () => {
  const [here, back] = [await createAccount(sql), await createAccount(sql)]
  const [kept] = await sql`delete from key_directory where key_id = ${back.keyId} returning *`
  const cases = [caseOf(back), caseOf(here)]
  const options = {
    sql,
    replica: 'test',
    allowOverdraftMicros: () => 0,
    clock: { earliest: () => undefined },
  }
  const { judged } = await sql.begin(async (transaction) => {
    await transaction`select from workspaces where id = ${here.workspaceId} for update`
    const judging = judgeBatch(cases, options).catch((error: unknown) => error)
    const waits = () => sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%admit_generations%'`
    await vi.waitUntil(async () => (await waits()).length > 0, { timeout: 60_000 })
    await sql`insert into key_directory ${sql(kept!)}`
    return { judged: judging }
  })
  const told = await judged
  if (!(told instanceof Map)) throw told
  expect(cases.map((one) => told.get(one)?.decision)).toEqual(['invalid_api_key', 'admitted'])
  const holds = await sql`select amount_micros from holds where workspace_id = ${here.workspaceId}`
  expect(holds).toEqual([{ amount_micros: BigInt(HOLD_MICROS) }])
}, 120_000)
