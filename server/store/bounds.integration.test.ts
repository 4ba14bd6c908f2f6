import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount, finished, HOLD_MICROS, startMeter } from '../metering/testing.ts'
import { connect } from './connection.ts'
import { migrate } from './migrations.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

test('what a program must not write is refused by the database', async () => {
  const { sql } = await server.open(1)
  const { workspaceId } = await createAccount(sql)
  const refusals = [
    ['update workspaces set held_micros = -1', 'micros_check'],
    ['update workspaces set balance_micros = 9007199254740992', 'balance_is_safe'],
    ['update workspaces set balance_micros = -9007199254740992', 'balance_is_safe'],
    ['update workspaces set requests_per_minute = 0', 'request_rate_check'],
    ['update workspaces set tokens_per_minute = 0', 'token_rate_check'],
    ['update api_keys set held_micros = -1', 'micros_check'],
    ['update api_keys set spend_limit_micros = -1', 'micros_check'],
    ['update api_keys set requests_per_minute = 0', 'request_rate_check'],
    ['update api_keys set tokens_per_minute = 9007199254740992', 'token_rate_check'],
    ["update api_keys set name = ''", 'key_name_check'],
    [`update api_keys set name = repeat('x', 65)`, 'key_name_check'],
    [`update api_keys set model_scope = '{}'`, 'api_keys_model_scope_check'],
    [
      `insert into holds (workspace_id, generation_id, key_id, replica_id, amount_micros, operation, streamed, model,
         endpoint, prompt_price_micros, completion_price_micros, prompt_tokens, created_at)
       values ('${workspaceId}', 'g', 'k', 'r', -1, 'chat', true, 'm', 'e', 0, 0, 0, now())`,
      'micros_check',
    ],
  ] as const
  for (const [statement, constraint] of refusals) {
    await expect(sql.unsafe(statement), statement).rejects.toMatchObject({
      code: '23514',
      constraint_name: constraint,
    })
  }
  // At their bounds.
  await sql`update workspaces set balance_micros = -9007199254740991, held_micros = 0, tokens_per_minute = 9007199254740991`
  await sql`update api_keys set name = ${'x'.repeat(64)}, requests_per_minute = 1, spend_limit_micros = null`
})

test('a router that runs while the types of its columns change goes on, with what it holds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'router-migrations-'))
  const url = await server.createDatabase()
  const router = connect({ url, maxConnections: 1 })
  const newer = connect({ url, maxConnections: 1 })
  try {
    await cp(fileURLToPath(new URL('migrations', import.meta.url)), folder, { recursive: true })
    for (const file of await readdir(folder)) if (file >= '023') await rm(join(folder, file))
    await migrate(router, folder)
    const account = await createAccount(router, { balanceMicros: 1_000_000n, requestsPerMinute: 1_000 })
    const meter = await startMeter(router)
    const asked = () => router`
      select w.balance_micros, w.held_micros, k.spent_micros, k.requests_per_minute
      from workspaces w join api_keys k on k.workspace_id = w.id`
    await (await meter.accept(account.applicant())).settle(finished)
    const open = await meter.accept(account.applicant())
    const before = [
      {
        balance_micros: 999_977n,
        held_micros: BigInt(HOLD_MICROS),
        spent_micros: 23n,
        requests_per_minute: 1_000,
      },
    ]
    expect(await asked()).toEqual(before)
    expect(await migrate(newer)).toBeGreaterThanOrEqual(2)
    expect(await asked()).toEqual(before)
    await open.settle(finished)
    await (await meter.accept(account.applicant())).settle(finished)
    expect(await asked()).toEqual([
      { balance_micros: 999_931n, held_micros: 0n, spent_micros: 69n, requests_per_minute: 1_000 },
    ])
    await meter.stop()
  } finally {
    await Promise.all([router.end(), newer.end(), rm(folder, { recursive: true })])
  }
})
