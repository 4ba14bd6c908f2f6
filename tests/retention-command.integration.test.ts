import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditOutput, BookMonthOutput, LedgerVerificationOutput } from '#contract/models'
import { isBookMonthOutput } from '#contract/validators/book-month-output'
import { isMonthActOutput } from '#contract/validators/month-act-output'
import { isMonthVerificationOutput } from '#contract/validators/month-verification-output'
import { createAccount, finished, startMeter } from '../server/metering/testing.ts'
import { closeClocked, openClocked } from '../server/retention/testing.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

let server: TestServer
let databaseUrl: string
let folder: string

beforeAll(async () => {
  server = await startTestServer()
  const { url, sql, setClock } = await openClocked(server, '2026-06-15T12:00:00Z')
  databaseUrl = url
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  await setClock('2026-07-15T12:00:00Z')
  folder = mkdtempSync(join(tmpdir(), 'retention-command-'))
  const prices = 'pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }'
  writeFileSync(
    join(folder, 'router.yaml'),
    `database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: demo/tiny, contextLength: 8192, ${prices}, endpoint: demo, backends: [ { url: "http://127.0.0.1:9/v1" } ] } ]
`,
  )
})

afterAll(async () => {
  await closeClocked()
  await server.stop()
  rmSync(folder, { recursive: true })
})

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function router(...words: readonly string[]): Promise<Run> {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  return new Promise((resolve) => {
    execFile(LAUNCHER, words, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

async function json(...words: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await router('retention', ...words, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

test('a month is listed, exported, proved, detached and dropped by commands', async () => {
  const listed = (await json('list')) as BookMonthOutput[]
  expect(listed.every((month) => isBookMonthOutput(month))).toBe(true)
  expect(listed[0]).toMatchObject({ month: '2026-06', begins_at: null, state: 'closed', exported: null })

  const open = await router('retention', 'export', '2026-07', '--to', 'books')
  expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('2026-07 is not closed') })
  expect(await router('retention', 'export', 'June', '--to', 'books')).toMatchObject({ code: 2 })

  const made = await json('export', '2026-06', '--to', 'books', '--as', 'Ada')
  expect(isMonthActOutput(made)).toBe(true)
  expect(made).toMatchObject({
    month: '2026-06',
    folder: join('books', '2026-06'),
    ledger_rows: 2,
    generations: 1,
  })

  const written = join('books', '2026-06')
  const proved = await json('verify', written)
  expect(isMonthVerificationOutput(proved)).toBe(true)
  expect(proved).toMatchObject({ ledger_rows: 2, generations: 1, findings: [] })
  expect(await router('retention', 'verify', written)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Rows, records and balances agree.'),
  })

  expect(await json('detach', '2026-06', '--export', written, '--as', 'Ada')).toMatchObject({
    folder: written,
  })
  expect(await json('drop', '2026-06', '--export', written, '--as', 'Ada')).toMatchObject({ generations: 1 })
  expect(((await json('list')) as BookMonthOutput[])[0]).toMatchObject({ state: 'dropped' })

  const ledger = await router('ledger', 'verify', '--json')
  const report = JSON.parse(ledger.stdout) as LedgerVerificationOutput
  expect(report).toMatchObject({ entries: 0, generations: 0, detached_months: 1, differences: [] })
  const audit = await router('audit', '--actor', 'Ada', '--json')
  const acts = (JSON.parse(audit.stdout) as AuditOutput[]).map(({ act }) => act)
  expect(acts).toEqual(['month_dropped', 'month_detached', 'month_exported'])

  writeFileSync(join(folder, written, 'books.ndjson.gz'), 'x')
  const broken = await router('retention', 'verify', written)
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be read') })
})
