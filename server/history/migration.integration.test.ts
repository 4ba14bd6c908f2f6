import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount, finished, startMeter, until } from '../metering/testing.ts'
import { connect, type Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { migrate } from '../store/migrations.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { readSeries } from './usage-series.ts'

const ours = fileURLToPath(new URL('../store/migrations', import.meta.url))
let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = connect({ url: await server.createDatabase(), maxConnections: 4 })
})

afterAll(async () => {
  await sql.end()
  await server.stop()
})

/** The tables as they were before their sums were kept. */
async function migrateBefore(first: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'router-migrations-'))
  try {
    for (const file of (await readdir(ours)).filter((name) => name < first)) {
      await cp(join(ours, file), join(folder, file))
    }
    await migrate(sql, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('what was used before its sums were kept is in them, and what an older router settles meanwhile', async () => {
  await migrateBefore('014')
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  const [before, corrected, during] = [
    await meter.accept(account.applicant()),
    await meter.accept(account.applicant()),
    await meter.accept(account.applicant()),
  ]
  await before.settle(finished)
  await corrected.settle(finished)
  await sql`select correct_generations(
    ${[account.workspaceId]}::text[], ${[corrected.id]}::text[], array[0]::bigint[], array[3]::bigint[],
    ${[createId('led_')]}::text[]
  )`
  let settled: Promise<unknown> | undefined
  await sql.begin(async (transaction) => {
    await transaction`select from workspaces where id = ${account.workspaceId} for update`
    settled = during.settle(finished)
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%settle_generations(%'`
      return waiting.length > 0
    })
    await migrateBefore('015')
  })
  await settled
  await migrate(sql)
  await meter.stop()

  const ever = { grain: 'day', from: new Date(0), to: new Date('2100-01-01') } as const
  const points = await readSeries(sql, account.workspaceId, ever)
  const sum = (pick: (point: (typeof points)[number]) => number) => points.map(pick).reduce((a, b) => a + b)
  expect([sum((one) => one.requests), sum((one) => one.completionTokens)]).toEqual([3, 68])
  expect(sum((one) => Number(one.costMicros))).toBe(23 + 3 + 23)
})
