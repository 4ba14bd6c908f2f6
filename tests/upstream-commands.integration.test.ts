import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import type { UpstreamEventOutput, UpstreamOutput } from '#contract/models'
import type { Validator } from '#contract/validator'
import { isUpstreamEventOutput } from '#contract/validators/upstream-event-output'
import { isUpstreamOutput } from '#contract/validators/upstream-output'
import { createIdentity } from '../egress/testing/identity.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { openApiKey, openUnderAny } from '../server/upstreams/api-key.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))
const SECRET = 'vendor-secret-canary-77'

let server: TestServer
let databaseUrl: string
let sql: Sql
let folder: string

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

beforeAll(async () => {
  server = await startTestServer()
  ;({ url: databaseUrl, sql } = await server.open())
  folder = mkdtempSync(join(tmpdir(), 'upstream-commands-'))
  writeFileSync(
    join(folder, 'root.pem'),
    createIdentity().pem.replace(/-----BEGIN PRIVATE[\s\S]*?KEY-----\n/, ''),
  )
  writeFileSync(join(folder, 'guests.yaml'), JSON.stringify({ measurements: [guest] }))
  copyFileSync(join(folder, 'root.pem'), join(folder, 'other.pem'))
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

function router(...words: readonly string[]): Promise<Run> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, VENDOR_KEY: SECRET }
  return new Promise((resolve) => {
    execFile(LAUNCHER, ['upstream', ...words], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** Runs a command that must succeed and gives what it printed. */
async function json<Document>(...words: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await router(...words, '--json')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain(SECRET)
  return JSON.parse(stdout) as Document
}

const isValid = (validate: Validator, document: unknown) => [validate(document), validate.errors ?? []]
const register = 'ab'.repeat(48)
const guest = { tee: 'tdx', mrtd: register, rtmr1: register, rtmr2: register }
const one = digestOf('one')
const two = digestOf('two')
const where = ['--url', 'https://vendor.example/v1', '--root', 'root.pem']

test('an upstream is registered once, its key is never shown, and each act is an event', async () => {
  const added = await json<UpstreamOutput>(
    'add',
    'vendor',
    ...where,
    '--pin',
    one,
    '--api-key-env',
    'VENDOR_KEY',
  )
  expect(isValid(isUpstreamOutput, added)).toEqual([true, []])
  expect(added).toMatchObject({
    name: 'vendor',
    hostname: 'vendor.example',
    pins: [one],
    has_api_key: true,
    disabled: false,
    denial: null,
    last_admitted: null,
  })
  const again = await router('add', 'vendor', ...where)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--replace')])

  expect(await json('pin', 'vendor', toHex(two))).toMatchObject({ pins: [one, two] })
  expect(await json('pin', 'vendor', '--remove', one)).toMatchObject({ pins: [two] })
  expect(await json('disable', 'vendor')).toMatchObject({ disabled: true })
  const refused = await router('attest', 'vendor')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('router upstream enable vendor'),
  ])
  expect(await json('enable', 'vendor')).toMatchObject({ disabled: false })

  const events = await json<UpstreamEventOutput[]>('events', 'vendor')
  for (const event of events) expect(isValid(isUpstreamEventOutput, event)).toEqual([true, []])
  expect(events.map(({ event }) => event).toReversed()).toEqual([
    'registered',
    'pinned',
    'unpinned',
    'taken_out',
    'put_back',
  ])
  expect(events.at(-2)).toMatchObject({ replica: null, evidence_digest: two })
  const table = await router('list')
  expect(table.stdout).toMatch(/vendor +https:\/\/vendor\.example\/v1 +enabled +1/)
})

test('a change of pins shows all that are approved after it', async () => {
  const { stdout } = await router('pin', 'vendor', one, '--remove', digestOf('never approved'))
  expect(stdout).toBe(`Approved deployments of vendor:\n  ${toHex(two)}\n  ${toHex(one)}\n`)
  const none = await router('pin', 'vendor', '--remove', one, two)
  expect(none.stdout).toBe('vendor has no approved deployment: nothing of it is admitted.\n')
})

test('a registration anew has another id, its own pins and no key of the one before', async () => {
  const before = await json<UpstreamOutput[]>('list')
  const after = await json<UpstreamOutput>('add', 'vendor', ...where, '--replace', '--root', 'other.pem')
  expect(after).toMatchObject({ pins: [], has_api_key: false })
  expect(after.id).not.toBe(before[0]?.id)
})

const mistakes = [
  ['add', 'vendor', '--url', 'http://vendor.example/v1', '--root', 'root.pem'],
  ['add', 'vendor', '--url', 'https://vendor.example/', '--root', 'root.pem'],
  ['add', 'demo', ...where],
  ['add', 'a b', ...where],
  ['add', 'vendor', '--url', 'https://vendor.example/v1', '--root', 'absent.pem'],
  ['add', 'vendor', ...where, '--pin', 'latest'],
  ['add', 'vendor', ...where, '--api-key-env', 'NOT_SET_ANYWHERE'],
  ['pin', 'vendor'],
  ['pin', 'vendor', one, '--remove', one],
]

test('what cannot be meant is a mistake of usage, said on stderr', async () => {
  const runs = await Promise.all(mistakes.map((words) => router(...words)))
  expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr !== ''])).toEqual(
    mistakes.map(() => [2, '', true]),
  )
})

test('an upstream that there is not is told so, with the way to find one', async () => {
  const runs = await Promise.all(
    ['enable', 'disable', 'attest', 'events'].map((word) => router(word, 'absent')),
  )
  const message = 'There is no upstream absent. See: router upstream list\n'
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [1, message]))
})

test('what is demanded of hardware is stored with the registration, and goes with the next', async () => {
  const added = await json<UpstreamOutput>('add', 'held', ...where, '--attested', 'guests.yaml')
  expect(isValid(isUpstreamOutput, added)).toEqual([true, []])
  expect(added.attested).toEqual({ measurements: [guest] })
  const anew = await json<UpstreamOutput>('add', 'held', ...where, '--replace')
  expect(anew.attested).toBeNull()
})

test('a changed secretsKey is taken up without a moment in which a key cannot be read', async () => {
  const plain = readFileSync(join(folder, 'router.yaml'), 'utf8')
  const [old, fresh] = ['o', 'n'].map((letter) => letter.repeat(32))
  const use = (...lines: readonly string[]) =>
    writeFileSync(join(folder, 'router.yaml'), plain + lines.join('\n'))
  const sealed = async () => {
    const [row] = await sql<[{ id: string; key: Buffer }]>`
      select id, api_key as key from upstreams where name = 'rotated'`
    return row
  }
  use(`secretsKey: ${old}`)
  await json('add', 'rotated', ...where, '--api-key-env', 'VENDOR_KEY')
  const { id, key } = await sealed()

  // The first step: both are read, whichever it is under.
  use(`secretsKey: ${fresh}`, `previousSecretsKeys: [${old}]`)
  expect(openUnderAny(key, id, [fresh!, old!].map((text) => Buffer.from(text)) as [Buffer, Buffer])).toBe(
    SECRET,
  )
  expect(await json('rekey', '--as', 'ada')).toMatchObject({ rekeyed: ['rotated'], unreadable: [] })
  expect(await json('rekey')).toMatchObject({ rekeyed: [], current: ['rotated'], unreadable: [] })
  // It is an act like the others, and written down once (CONS-51).
  expect(await sql`select actor, subject, details from audit where act = 'upstream_rekeyed'`).toEqual([
    { actor: 'ada', subject: 'rotated', details: {} },
  ])
  const stored = await sealed()
  expect(stored.id).toBe(id)
  expect(openApiKey(stored.key, id, Buffer.from(fresh!))).toBe(SECRET)
  expect(() => openApiKey(stored.key, id, Buffer.from(old!))).toThrow()

  // Under a key that nobody has told it of, it names what it cannot read and leaves it alone.
  use(`secretsKey: ${'x'.repeat(32)}`)
  const { code, stdout } = await router('rekey', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([1, { rekeyed: [], current: [], unreadable: ['rotated'] }])
  expect(openApiKey((await sealed()).key, id, Buffer.from(fresh!))).toBe(SECRET)
  writeFileSync(join(folder, 'router.yaml'), plain)
})
