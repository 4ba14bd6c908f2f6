import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOf } from '#attestation'
import type { AuditOutput } from '#contract/models'
import { createIdentity } from '../egress/testing/identity.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))
const SECRET = 'vendor-secret-canary-52'

let server: TestServer
let databaseUrl: string
let folder: string

beforeAll(async () => {
  server = await startTestServer()
  ;({ url: databaseUrl } = await server.open())
  folder = mkdtempSync(join(tmpdir(), 'audit-command-'))
  writeFileSync(join(folder, 'root.pem'), createIdentity().pem)
  const prices = 'pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }'
  writeFileSync(
    join(folder, 'router.yaml'),
    `database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: vendor/large, contextLength: 8192, ${prices}, endpoint: vendor, upstream: {} } ]
`,
  )
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function router(...words: readonly string[]): Promise<Run> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, VENDOR_KEY: SECRET }
  return new Promise((resolve) => {
    execFile(LAUNCHER, words, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

async function json<Document>(...words: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await router(...words, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Document
}

const audit = (...words: readonly string[]) => json<AuditOutput[]>('audit', ...words)

test('each command that changes something is written down with who called it, and no key or code', async () => {
  const digest = digestOf('one')
  const { id: workspace } = await json<{ id: string }>('workspace', 'create', '--name', 'Team')
  await json('workspace', 'limits', workspace, '--rpm', '7')
  const { id: key, api_key: apiKey } = await json<{ id: string; api_key: string }>(
    'key',
    'create',
    '--workspace',
    workspace,
    '--name',
    'n',
  )
  await json('key', 'update', key, '--rpm', '3')
  await json('key', 'revoke', key)
  const credit = ['credit', workspace, '5', '--reason', 'Invoice 17', '--idempotency-key', 'invoice-17']
  const first = await json(...credit)
  expect(await json(...credit)).toEqual(first)
  const { code } = await json<{ code: string }>('invitation', 'issue', '--grant', '5')
  await json('invitation', 'withdraw', code)
  const place = ['--url', 'https://127.0.0.1:9/v1', '--root', 'root.pem', '--api-key-env', 'VENDOR_KEY']
  await json('upstream', 'add', 'vendor', ...place)
  await json('upstream', 'pin', 'vendor', digest)
  await json('upstream', 'pin', 'vendor', '--remove', digest)
  await json('upstream', 'attest', 'vendor')
  await json('upstream', 'disable', 'vendor')
  await json('upstream', 'enable', 'vendor', '--as', 'Ada <ada@example.com>')

  const rows = await audit()
  expect(rows.map(({ act }) => act).toReversed()).toEqual([
    'workspace_created',
    'workspace_limited',
    'key_created',
    'key_updated',
    'key_revoked',
    'workspace_credited',
    'invitation_issued',
    'invitation_withdrawn',
    'upstream_registered',
    'deployment_pinned',
    'deployment_unpinned',
    'upstream_attested',
    'upstream_disabled',
    'upstream_enabled',
  ])
  expect(new Set(rows.map(({ through }) => through))).toEqual(new Set(['command_line']))
  expect(rows.map(({ actor }) => actor)).toEqual([
    'Ada <ada@example.com>',
    ...Array(13).fill(userInfo().username),
  ])
  const text = JSON.stringify(rows)
  for (const secret of [apiKey, code, SECRET, 'PRIVATE KEY']) expect(text).not.toContain(secret)
})

test('the log is filtered, and told in columns in which a name moves no cursor', async () => {
  await json('workspace', 'create', '--name', '\u202E<b>evil</b>', '--as', 'Bob')
  expect(await audit('--actor', 'Bob')).toMatchObject([{ act: 'workspace_created' }])
  expect(await audit('--act', 'workspace_credited')).toMatchObject([
    { details: { amount_micros: '5000000', reason: 'Invoice 17', kind: 'top_up' } },
  ])
  expect(await audit('--subject', 'vendor', '--limit', '2')).toHaveLength(2)
  expect(await audit('--to', '2020-01-01')).toEqual([])
  const { stdout } = await router('audit', '--actor', 'Bob')
  expect(stdout).toMatch(/Bob +command line +workspace_created +ws_\w+ +name="\\u202e<b>evil<\/b>"/)
})

test.each([
  ['an act that there is not', ['audit', '--act', 'coffee_made']],
  ['a name of two lines', ['workspace', 'create', '--name', 'n', '--as', 'a\nb']],
  ['an idempotency key with a colon', ['credit', 'ws_x', '5', '--reason', 'r', '--idempotency-key', 'a:b']],
])('%s is a mistake in the arguments, and nothing is done', async (_, words) => {
  const before = await audit()
  expect((await router(...words)).code).toBe(2)
  expect(await audit()).toEqual(before)
})
