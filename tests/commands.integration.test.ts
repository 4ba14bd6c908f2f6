import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Validator } from '#contract/validator'
import { isConfigCheckOutput } from '#contract/validators/config-check-output'
import { isCreatedKeyOutput } from '#contract/validators/created-key-output'
import { isInvitationRecordOutput } from '#contract/validators/invitation-record-output'
import { isKeyOutput } from '#contract/validators/key-output'
import { isMigrationOutput } from '#contract/validators/migration-output'
import { isWorkspaceDetailsOutput } from '#contract/validators/workspace-details-output'
import { isWorkspaceOutput } from '#contract/validators/workspace-output'
import { startTestServer, type TestServer } from '../server/store/testing.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

let server: TestServer
let databaseUrl: string
let folder: string
let workspace: string

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface KeyDocument {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly model_scope: readonly string[] | null
  readonly spend_limit_micros: number | null
  readonly revoked_at: string | null
}

beforeAll(async () => {
  server = await startTestServer()
  databaseUrl = await server.createDatabase()
  folder = mkdtempSync(join(tmpdir(), 'router-commands-'))
  writeConfig('router.yaml', 'http://127.0.0.1:1/v1')
  await router('db', 'migrate')
  workspace = (await json<{ id: string }>('workspace', 'create', '--name', 'Team')).id
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})

function writeConfig(name: string, backendUrl: string, more = ''): void {
  const model =
    'contextLength: 8192, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, endpoint: demo'
  writeFileSync(
    join(folder, name),
    `database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: demo/tiny-chat, ${model}, backends: [ { url: "${backendUrl}" } ] } ]
${more}`,
  )
}

function router(...words: readonly string[]): Promise<Run> {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  return new Promise((resolve) => {
    execFile(LAUNCHER, words, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** Runs a command that must succeed and gives what it printed. */
async function json<Document>(...words: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await router(...words, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Document
}

const createKey = (...words: string[]) =>
  json<KeyDocument & { api_key: string }>('key', 'create', '--workspace', workspace, '--name', 'CI', ...words)

const isValid = (validate: Validator, document: unknown) => [validate(document), validate.errors ?? []]

test('a key is created, listed, changed and revoked, and its text is printed once', async () => {
  const { api_key, ...created } = await createKey('--models', 'a, b', '--rpm', '5', '--spend-limit', '2.50')
  expect(isValid(isCreatedKeyOutput, { ...created, api_key })).toEqual([true, []])
  expect(created).toMatchObject({
    model_scope: ['a', 'b'],
    requests_per_minute: 5,
    spend_limit_micros: 2_500_000,
  })

  const listed = await json<KeyDocument[]>('key', 'list', '--workspace', workspace)
  for (const key of listed) expect(isValid(isKeyOutput, key)).toEqual([true, []])
  expect(listed.find(({ id }) => id === created.id)).toEqual(created)
  const table = await router('key', 'list', '--workspace', workspace)
  expect(table.stdout).toContain(created.id)
  expect(table.stdout + JSON.stringify(listed)).not.toContain(api_key)

  const revoked = await json<KeyDocument>('key', 'revoke', created.id)
  expect(isValid(isKeyOutput, revoked)).toEqual([true, []])
  expect(revoked).toMatchObject({ id: created.id, state: 'revoked' })
  expect(await json<KeyDocument>('key', 'revoke', created.id)).toEqual(revoked)
})

test('the table of keys shows what restricts each of them', async () => {
  const words = ['--rpm', '5', '--tpm', '70', '--spend-limit', '2.50', '--expires', '2100-01-31T12:00:00Z']
  const { id } = await createKey('--models', 'a,b', ...words)
  const { id: free } = await createKey()
  const lines = (await router('key', 'list', '--workspace', workspace)).stdout.split('\n')
  const cellsOf = (start: string) => lines.find((line) => line.startsWith(start))!.split(/ {2,}/)
  const named = (start: string) => {
    const cells = cellsOf(start)
    return Object.fromEntries(cellsOf('KEY').map((head, place) => [head, cells[place]]))
  }
  expect(named(id)).toMatchObject({
    SPENT: '$0.00',
    'SPEND LIMIT': '$2.50',
    RPM: '5',
    TPM: '70',
    MODELS: 'a, b',
    EXPIRES: '2100-01-31T12:00:00Z',
  })
  expect(named(free)).toMatchObject({
    'SPEND LIMIT': '-',
    RPM: 'default',
    TPM: 'default',
    MODELS: 'all',
    EXPIRES: '-',
  })
})

test('a workspace is given limits of its own, shown with them and with what was ever set', async () => {
  const { id } = await json<{ id: string }>('workspace', 'create', '--name', 'Large')
  const set = (...words: string[]) => json<object>('workspace', 'limits', id, ...words)
  const raised = await set('--requests-per-minute', '6000', '--tpm', '5000000')
  expect(isValid(isWorkspaceOutput, raised)).toEqual([true, []])
  expect(raised).toEqual({
    id,
    name: 'Large',
    balance_micros: 0,
    requests_per_minute: 6_000,
    tokens_per_minute: 5_000_000,
  })
  expect(await json<object[]>('workspace', 'list')).toContainEqual(raised)
  expect((await router('workspace', 'list')).stdout).toMatch(/Large +\$0\.00 +6000 +5000000\n/)
  expect(await set('--no-tpm')).toMatchObject({ requests_per_minute: 6_000, tokens_per_minute: null })
  expect(await set('--rpm', '10', '--no-tokens-per-minute')).toMatchObject({ requests_per_minute: 10 })

  await json('credit', id, '5', '--reason', 'First top-up')
  await json('credit', id, '-1.5', '--reason', 'Too much')
  const shown = await json<object>('workspace', 'show', id)
  expect(isValid(isWorkspaceDetailsOutput, shown)).toEqual([true, []])
  const at = expect.any(String)
  expect(shown).toMatchObject({
    requests_per_minute: 10,
    limit_changes: [
      { at, requests_per_minute: 6_000, tokens_per_minute: 5_000_000 },
      { at, requests_per_minute: 6_000, tokens_per_minute: null },
      { at, requests_per_minute: 10, tokens_per_minute: null },
    ],
    ledger: [
      {
        kind: 'adjustment',
        amount_micros: -1_500_000,
        balance_after_micros: 3_500_000,
        description: 'Too much',
      },
      { kind: 'top_up', amount_micros: 5_000_000, reference: null },
    ],
  })
  expect(await json('workspace', 'show', id, '--limit', '1')).toMatchObject({
    ledger: [{ kind: 'adjustment' }],
  })
  expect((await router('workspace', 'show', id, '--limit', '1001')).code).toBe(2)
  const { stdout } = await router('workspace', 'show', id)
  expect(stdout).toMatch(/adjustment +-\$1\.50 +\$3\.50 +Too much\n/)
  expect(stdout).toMatch(/requests a minute +10, its own in place of 600\n/)
  expect(stdout).toMatch(/tokens a minute +2000000, as every workspace\n/)
})

test('an update changes what is named, takes away what is refused, and leaves the rest', async () => {
  const { id } = await createKey('--tpm', '9', '--expires', '2020-01-01')
  const update = (...words: string[]) => json<KeyDocument>('key', 'update', id, ...words)
  expect(
    await update('--name', 'Other', '--rpm', '7', '--models', 'a', '--spend-limit', '0.000001'),
  ).toMatchObject({
    name: 'Other',
    state: 'expired',
    model_scope: ['a'],
    requests_per_minute: 7,
    tokens_per_minute: 9,
    spend_limit_micros: 1,
    expires_at: '2020-01-01T00:00:00.000Z',
  })
  expect(await update('--expires', '2100-01-01T00:00:00Z')).toMatchObject({ state: 'active' })
  expect(
    await update('--no-models', '--no-rpm', '--no-tpm', '--no-spend-limit', '--no-expires'),
  ).toMatchObject({
    name: 'Other',
    state: 'active',
    model_scope: null,
    requests_per_minute: null,
    tokens_per_minute: null,
    spend_limit_micros: null,
    expires_at: null,
  })
})

test('a scope that names a model which the file does not have is taken, and told', async () => {
  const words = ['key', 'create', '--workspace', workspace, '--name', 'typo']
  const { code, stdout } = await router(...words, '--models', 'demo/tiny-chat,demo/tinny')
  expect([code, stdout.trimEnd().split('\n').slice(3)]).toEqual([
    0,
    ['No model of router.yaml is called demo/tinny yet.'],
  ])
})

test('an invitation is issued, listed and withdrawn', async () => {
  const words = [
    '--max-redemptions',
    '3',
    '--expires',
    '2100-01-01',
    '--note',
    'fair',
    '--description',
    'Welcome',
  ]
  const issued = await json<{ code: string }>('invitation', 'issue', '--grant', '5', ...words)
  expect(isValid(isInvitationRecordOutput, issued)).toEqual([true, []])
  expect(issued).toMatchObject({
    grant_micros: 5_000_000,
    max_redemptions: 3,
    redemptions: 0,
    description: 'Welcome',
    note: 'fair',
    expires_at: '2100-01-01T00:00:00.000Z',
  })
  expect(await json<object[]>('invitation', 'list')).toEqual([issued])
  expect((await router('invitation', 'list')).stdout).toMatch(`${issued.code}  $5.00  0/3       open`)

  const spelt = issued.code.toLowerCase().replaceAll('-', '')
  const withdrawn = await json<object>('invitation', 'withdraw', spelt)
  expect(withdrawn).toEqual({ ...issued, withdrawn_at: expect.any(String) })
  expect(await json<object>('invitation', 'withdraw', spelt)).toEqual(withdrawn)
  expect((await router('invitation', 'list')).stdout).toContain('withdrawn')
})

test('the tables are brought up to date once', async () => {
  databaseUrl = await server.createDatabase()
  const first = await json<{ applied: number }>('db', 'migrate')
  expect(isValid(isMigrationOutput, first)).toEqual([true, []])
  expect(first.applied).toBeGreaterThan(5)
  expect(await json('db', 'migrate')).toEqual({ applied: 0 })
})

test('a configuration in order is said to be, by both commands in the same words', async () => {
  const checked = await json('config', 'check')
  expect(isValid(isConfigCheckOutput, checked)).toEqual([true, []])
  expect(await json('run', '--check')).toEqual(checked)
  expect((await router('config', 'check')).stdout).toBe('router.yaml is in order.\n')
})

test('every mistake of a configuration is told at once, on stderr, with exit code 4', async () => {
  writeConfig('wrong.yaml', 'ftp://x', 'trustedProxies: [ nobody ]\nlisten: { hots: x }\n')
  for (const command of [
    ['config', 'check'],
    ['run', '--check'],
    ['db', 'migrate'],
    ['invitation', 'list'],
  ]) {
    const { code, stdout, stderr } = await router(...command, '--config', 'wrong.yaml', '--json')
    expect([code, stdout]).toEqual([4, ''])
    for (const path of ['listen.hots', 'trustedProxies[0]', 'models[0].backends[0].url']) {
      expect(stderr).toContain(path)
    }
  }
})

test.each([
  ['an unknown command', ['nonsense'], 2],
  ['a command without its argument', ['key', 'revoke'], 2],
  ['a command without a required option', ['invitation', 'issue'], 2],
  ['an unknown option', ['db', 'migrate', '--fast'], 2],
  ['an update that changes nothing', ['key', 'update', 'key_1'], 2],
  ['a limit that is no count', ['key', 'update', 'key_1', '--rpm', '0'], 2],
  ['a time that is none', ['key', 'update', 'key_1', '--expires', 'soon'], 2],
  ['an empty scope', ['key', 'update', 'key_1', '--models', ''], 2],
  ['a name that is too long', ['key', 'update', 'key_1', '--name', 'x'.repeat(65)], 2],
  ['a name in two lines', ['key', 'update', 'key_1', '--name', 'x\ny'], 2],
  ['a note in two lines', ['invitation', 'issue', '--grant', '5', '--note', 'x\ny'], 2],
  ['an invitation that would be over', ['invitation', 'issue', '--grant', '5', '--expires', '2020-01-01'], 2],
  ['a negative spend limit', ['key', 'update', 'key_1', '--spend-limit', '-1'], 2],
  ['a grant of nothing', ['invitation', 'issue', '--grant', '0'], 2],
  ['a grant that is no amount', ['invitation', 'issue', '--grant', '$5'], 2],
  ['limits that name nothing', ['workspace', 'limits', 'ws_1'], 2],
  ['a limit of a workspace that is no count', ['workspace', 'limits', 'ws_1', '--rpm', '0'], 2],
  ['limits of no workspace', ['workspace', 'limits', 'ws_1', '--rpm', '5'], 1],
  ['a workspace that is not there', ['workspace', 'show', 'ws_1'], 1],
  ['a key that is not there', ['key', 'revoke', 'key_1'], 1],
  ['an update of a key that is not there', ['key', 'update', 'key_1', '--no-rpm'], 1],
  ['the keys of no workspace', ['key', 'list', '--workspace', 'ws_1'], 1],
  ['an invitation that is not there', ['invitation', 'withdraw', '2222-2222-2222'], 1],
  ['a configuration that is not there', ['config', 'check', '--config', 'absent.yaml'], 4],
])('%s is told on stderr alone, with the exit code of its kind', async (_, words, expected) => {
  const { code, stdout, stderr } = await router(...words)
  expect([code, stdout]).toEqual([expected, ''])
  expect(stderr).not.toBe('')
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('a database that cannot be reached is an error, told without its password', async () => {
  databaseUrl = 'postgres://router:canary@127.0.0.1:1/router'
  const { code, stdout, stderr } = await router('key', 'list', '--workspace', workspace)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('See database.url')
  expect(stderr).not.toContain('canary')
})

test.each([
  [
    ['key', '--help'],
    ['create', 'list', 'revoke', 'update'],
  ],
  [
    ['key', 'update', '--help'],
    ['--no-expires', '--config', '--json'],
  ],
  [
    ['workspace', 'limits', '--help'],
    ['--rpm', '--requests-per-minute', '--no-tpm', '--json'],
  ],
  [
    ['usage', '--help'],
    ['--workspace', '--from', '--to', '--key', '--model', '--csv', '--json'],
  ],
  [
    ['invitation', '--help'],
    ['issue', 'list', 'withdraw'],
  ],
  [
    ['invitation', 'issue', '--help'],
    ['--grant', '--max-redemptions', '--json'],
  ],
  [
    ['db', 'migrate', '--help'],
    ['--config', '--json'],
  ],
  [
    ['config', '--help'],
    ['check', 'reload', 'status'],
  ],
  [
    ['config', 'check', '--help'],
    ['--config', '--json'],
  ],
  [
    ['config', 'reload', '--help'],
    ['--config', '--json'],
  ],
])('%j tells what is possible', async (words, expected) => {
  const { code, stdout } = await router(...words)
  expect(code).toBe(0)
  for (const word of expected) expect(stdout).toContain(word)
})
