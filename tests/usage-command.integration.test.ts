import { execFile } from 'node:child_process'
import {
  createReadStream,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUsageReportOutput } from '#contract/validators/usage-report-output'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { type Account, createAccount } from './service.ts'

const run = promisify(execFile)

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

/** More lines than the heap of the test below could hold. */
const MANY = 150_000

let server: TestServer
let sql: Sql
let databaseUrl: string
let folder: string
let account: Account
let other: Account

beforeAll(async () => {
  server = await startTestServer()
  ;({ sql, url: databaseUrl } = await server.open())
  folder = mkdtempSync(join(tmpdir(), 'usage-'))
  const model =
    'contextLength: 8192, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, endpoint: demo'
  writeFileSync(
    join(folder, 'router.yaml'),
    `database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: demo/tiny-chat, ${model}, backends: [ { url: "http://127.0.0.1:1/v1" } ] } ]
`,
  )
  account = await createAccount(sql, 0n, { name: '=cmd|evil' })
  other = await createAccount(sql, 0n)
  await fill(account, 4, "'demo'")
  await fill(other, MANY, "'m' || n")
})

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

/** Records of January 2026, an hour apart; `model` is an expression of `n`. */
async function fill({ workspaceId, keyId }: Account, count: number, model: string): Promise<void> {
  await sql`
    insert into generations (
      workspace_id, id, key_id, operation, streamed, model, endpoint, status, prompt_tokens, completion_tokens,
      usage_source, prompt_price_micros, completion_price_micros, cost_micros, latency_ms, settled_by, created_at
    )
    select ${workspaceId}::text, 'gen-' || n, ${keyId}::text, 'chat', false, ${sql.unsafe(model)}, 'demo', 'ok', 3, 2,
      case n when 0 then 'counted' else 'backend' end, 1, 1, 5, 1, 'test',
      '2026-01-01T22:00:00Z'::timestamptz + n * interval '1 hour'
    from generate_series(0, ${count - 1}::integer) n`
}

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function usage(words: readonly string[], nodeOptions = ''): Promise<Run> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, NODE_OPTIONS: nodeOptions }
  return new Promise((resolve) => {
    execFile(LAUNCHER, ['usage', ...words], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

test('usage is told by day, key and model, with the share that was counted', async () => {
  const { code, stdout, stderr } = await usage(['--workspace', account.workspaceId, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  const report = JSON.parse(stdout)
  expect([isUsageReportOutput(report), isUsageReportOutput.errors ?? []]).toEqual([true, []])
  const line = {
    workspace_id: account.workspaceId,
    key_id: account.keyId,
    key_name: '=cmd|evil',
    model: 'demo',
  }
  const whole = { requests: 2, prompt_tokens: 6, completion_tokens: 4, cost_micros: 10 }
  const reported = { counted_requests: 0, counted_cost_micros: 0, counted_share: 0 }
  expect(report).toEqual({
    from: null,
    to: null,
    lines: [
      {
        day: '2026-01-01',
        ...line,
        ...whole,
        counted_requests: 1,
        counted_cost_micros: 5,
        counted_share: 0.5,
      },
      { day: '2026-01-02', ...line, ...whole, ...reported },
    ],
    file: null,
    total: {
      requests: 4,
      prompt_tokens: 12,
      completion_tokens: 8,
      cost_micros: 20,
      counted_requests: 1,
      counted_cost_micros: 5,
      counted_share: 0.25,
    },
  })
})

test('people see a table with its sum', async () => {
  const { stdout } = await usage(['--key', account.keyId, '--from', '2026-01-02', '--to', '2026-01-03'])
  const rows = stdout.trimEnd().split('\n')
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatch(/^DAY +WORKSPACE +KEY +NAME +MODEL +REQUESTS +PROMPT +COMPLETION +COST +COUNTED$/)
  expect(rows[2]).toMatch(/^total +2 +6 +4 +\$0\.00001 +0\.00%$/)
})

test('a file is written with every line, integers of micro-dollars and no formula', async () => {
  const file = join(folder, 'usage.csv')
  const { code, stdout, stderr } = await usage(['--workspace', account.workspaceId, '--csv', file, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ lines: null, file, total: { requests: 4, cost_micros: 20 } })
  const ids = `${account.workspaceId},${account.keyId},'=cmd|evil,demo`
  expect(readFileSync(file, 'utf8').split('\r\n')).toEqual([
    'day,workspace_id,key_id,key_name,model,requests,prompt_tokens,completion_tokens,cost_micros,counted_requests,counted_cost_micros,counted_share',
    `2026-01-01,${ids},2,6,4,10,1,5,0.5`,
    `2026-01-02,${ids},2,6,4,10,0,0,0`,
    '',
  ])
})

test('a file of more lines than the memory would hold is written all the same', async () => {
  const file = join(folder, 'many.csv')
  const { code, stderr, stdout } = await usage(['--csv', file], '--max-old-space-size=48')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(`${MANY + 2} lines are in ${file}.\n`)
  let count = 0
  for await (const line of createInterface({ input: createReadStream(file) })) count += line === '' ? 0 : 1
  expect(count).toBe(MANY + 2 + 1)
})

test.each([
  ['a pipe', '| cat'],
  ['a file', '> output.csv; cat output.csv'],
])('what goes to standard output, which leads to %s, is the lines and nothing else', async (_, onward) => {
  // As /dev/stdout is, which a test had better not risk.
  const link = join(folder, 'stdout')
  symlinkSync('/proc/self/fd/1', link)
  const line = `"$0" usage --workspace "$1" --csv stdout ${onward}`
  const options = { cwd: folder, env: { ...process.env, DATABASE_URL: databaseUrl } }
  const { stdout } = await run('sh', ['-c', line, LAUNCHER, account.workspaceId], options)
  expect(stdout.split('\r\n').map((row) => row.split(',')[0])).toEqual([
    'day',
    '2026-01-01',
    '2026-01-02',
    '',
  ])
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  rmSync(link)
})

test.each([
  ['a workspace that is not there', ['--workspace', 'ws_1'], 1],
  ['a key that is not there', ['--key', 'key_1'], 1],
  ['a file that is standard output, to which --json prints', ['--json', '--csv', '/dev/stdout'], 2],
  ['a file without a name', ['--csv', ''], 2],
  ['a time that is none', ['--from', 'yesterday'], 2],
  ['a time that ends before it begins', ['--from', '2026-02-01', '--to', '2026-01-01'], 2],
  ['a file in a folder that is not there', ['--csv', '/nowhere/usage.csv'], 1],
])('%s is told on stderr alone, with the exit code of its kind', async (_, words, expected) => {
  const { code, stdout, stderr } = await usage(words)
  expect([code, stdout]).toEqual([expected, ''])
  expect(stderr).not.toMatch(/^$|\n\s+at /)
})

test('the key of another workspace is none of this one', async () => {
  const { code, stderr } = await usage(['--workspace', account.workspaceId, '--key', other.keyId])
  expect(code).toBe(1)
  expect(stderr).toContain(other.keyId)
})
