import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { chat, type Service, startService } from './service.ts'

const run = promisify(execFile)

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

test('100 parallel streams on a balance that covers one leave it at minus the cost of one at most', async () => {
  const account = await service.createAccount(1n)
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const response = await chat(service, account.apiKey, { stream: true })
      return { status: response.status, text: await response.text() }
    }),
  )
  const served = answers.filter(({ status }) => status === 200)
  expect(served.length).toBeGreaterThanOrEqual(1)
  expect(answers.every(({ status }) => status === 200 || status === 402)).toBe(true)
  const [sums] = await service.sql<{ generations: bigint; rows: bigint; holds: bigint; most: bigint }[]>`
    select
      (select count(*) from generations where workspace_id = ${account.workspaceId}) as generations,
      (select count(*) from ledger where workspace_id = ${account.workspaceId} and kind = 'generation') as rows,
      (select count(*) from holds where workspace_id = ${account.workspaceId}) as holds,
      (select max(cost_micros) from generations where workspace_id = ${account.workspaceId}) as most`
  expect(sums).toMatchObject({ generations: BigInt(served.length), rows: BigInt(served.length), holds: 0n })
  expect(await service.balanceOf(account.workspaceId)).toBeGreaterThanOrEqual(-sums!.most)
  expect((await service.verify()).differences).toEqual([])
})

test('64 parallel requests share statements of admission, and of settlement', async () => {
  const account = await service.createAccount(5_000_000n)
  await (await chat(service, account.apiKey, {})).text()
  await service.sql`create extension if not exists pg_stat_statements`
  await service.sql`select pg_stat_statements_reset()`
  const client = fileURLToPath(new URL('parallel-client.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [client, service.baseUrl, account.apiKey, '64'])
  expect(JSON.parse(stdout)).toEqual(Array(64).fill(200))
  const rows = await service.sql<{ statement: string; calls: bigint }[]>`
    select substring(query from 'admit_generations|settle_generations') as statement, sum(calls)::bigint as calls
    from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())
      and query ~ 'from (admit|settle)_generations'
    group by 1`
  const calls = Object.fromEntries(rows.map((row) => [row.statement, Number(row.calls)]))
  for (const count of [calls.admit_generations, calls.settle_generations]) {
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(64)
  }
})

test('an aborted request is never billed beyond its hold, however large its prompt', async () => {
  const account = await service.createAccount(1_000n)
  const content = `[script:silence] ${'word '.repeat(400_000)}`
  const leaving = new AbortController()
  const request = chat(
    service,
    account.apiKey,
    { stream: true, messages: [{ role: 'user', content }] },
    { signal: leaving.signal },
  )
  const held = await vi.waitUntil(
    async () => {
      const [hold] = await service.sql<{ amount_micros: bigint }[]>`
        select amount_micros from holds where workspace_id = ${account.workspaceId}`
      const isSent = service.backend.connections().inFlight > 0
      return isSent ? hold?.amount_micros : undefined
    },
    { timeout: 5_000 },
  )
  leaving.abort()
  await expect(request).rejects.toThrow()
  const record = await vi.waitUntil(async () => {
    const [row] = await service.sql<{ prompt_tokens: bigint; cost_micros: bigint }[]>`
      select prompt_tokens, cost_micros from generations where workspace_id = ${account.workspaceId}`
    return row
  })
  expect(record.prompt_tokens).toBe(32_768n)
  expect(record.cost_micros).toBeLessThanOrEqual(held)
})
