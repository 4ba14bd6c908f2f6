import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { digestOf } from '#attestation'
import { commandsOf, runInProcess } from '#base/testing/commands.ts'
import { flawsOf, forbidden, hostileText, MARK } from '#base/testing/hostile-text.ts'
import { createIdentity } from '../egress/testing/identity.ts'
import { postEntry } from '../server/metering/ledger.ts'
import { createProgram, runProgram } from '../server/program.ts'
import type { Sql } from '../server/store/connection.ts'
import { createId } from '../server/store/ids.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'

let server: TestServer
let sql: Sql
let folder: string
let config: string
/** What was made in the ordinary way; its names are then whatever the test has them be. */
let made: { readonly workspace: string; readonly key: string; readonly code: string }

beforeAll(async () => {
  server = await startTestServer()
  const opened = await server.open()
  sql = opened.sql
  folder = mkdtempSync(join(tmpdir(), 'foreign-text-'))
  writeFileSync(
    join(folder, 'root.pem'),
    createIdentity().pem.replace(/-----BEGIN PRIVATE[\s\S]*?KEY-----\n/, ''),
  )
  config = join(folder, 'router.yaml')
  writeFileSync(config, configText(opened.url))
  const workspace = (await printed('workspace', 'create', '--name', 'Team')).id
  const key = (await printed('key', 'create', '--workspace', workspace, '--name', 'CI')).id
  const { code } = await printed('invitation', 'issue', '--grant', '1', '--note', 'a')
  await printed(
    'upstream',
    'add',
    'vendor',
    '--url',
    'https://vendor.example/v1',
    '--root',
    join(folder, 'root.pem'),
  )
  made = { workspace, key, code }
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})

function configText(databaseUrl: string): string {
  const prices = 'pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }'
  return `database: { url: "${databaseUrl}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models: [ { id: vendor/large, contextLength: 8192, ${prices}, endpoint: vendor, upstream: {} } ]
`
}

async function printed(...words: readonly string[]) {
  const { code, stdout, stderr } = await runInProcess(runProgram, [...words, '--config', config, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** Whatever a console, an older router, a verdict or a person with a database client may have left there. */
async function spoil(text: string): Promise<void> {
  // PostgreSQL keeps no zero byte.
  const kept = text.replaceAll('\u0000', '')
  const short = [...kept].slice(0, 64).join('')
  await sql`update workspaces set name = ${kept}`
  await sql`update api_keys set name = ${short}`
  await sql`update invitations set note = ${kept}, description = ${kept}`
  await sql`update upstreams set url = ${kept}, hostname = ${kept}, denied_stage = ${kept}, denied_reason = ${kept}, denied_at = now()`
  await sql`insert into upstream_events (upstream, replica, event, stage, reason)
    values ('vendor', ${kept}, 'denied', ${kept}, ${kept})`
  const month = join(folder, '2026-10')
  mkdirSync(month, { recursive: true })
  writeFileSync(join(month, 'manifest.json'), JSON.stringify({ month: text, books: { [text]: text } }))
  writeFileSync(join(month, 'books.ndjson.gz'), gzipSync(`${JSON.stringify({ workspace: text })}\n${text}`))
  const movement = { workspaceId: made.workspace, kind: 'top_up', amountMicros: 1n } as const
  await postEntry(sql, { ...movement, description: kept, reference: kept })
  await sql`insert into audit (id, actor, through, act, subject, details)
    values (${createId('aud_')}, ${`a${short}`}, 'command_line', 'key_created', ${`a${kept}`}, ${sql.json({ name: kept })})`
}

/** The arguments that make a command meet what was spoilt, and whether it has to show some of it. */
interface Meeting {
  readonly args: readonly string[]
  readonly shows?: true
}

/** Each command of the program. One that is new fails the test until it stands here. */
const meetings: Readonly<Record<string, () => Meeting>> = {
  run: () => ({ args: ['--check'] }),
  'workspace create': () => ({ args: ['--name', `a ${MARK}`], shows: true }),
  'workspace list': () => ({ args: [], shows: true }),
  'workspace show': () => ({ args: [made.workspace], shows: true }),
  'workspace limits': () => ({ args: [made.workspace, '--rpm', '500'], shows: true }),
  usage: () => ({ args: [] }),
  'retention list': () => ({ args: [] }),
  'retention export': () => ({ args: ['2026-10', '--to', folder] }),
  'retention verify': () => ({ args: [join(folder, '2026-10')] }),
  'retention detach': () => ({ args: ['2026-10', '--export', join(folder, '2026-10')] }),
  'retention drop': () => ({ args: ['2026-10', '--export', join(folder, '2026-10')] }),
  'key create': () => ({ args: ['--workspace', made.workspace, '--name', `a ${MARK}\u202e`], shows: true }),
  'key list': () => ({ args: ['--workspace', made.workspace], shows: true }),
  'key update': () => ({ args: [made.key, '--rpm', '5'], shows: true }),
  'key revoke': () => ({ args: [made.key], shows: true }),
  credit: () => ({ args: [made.workspace, '1', '--reason', `a ${MARK}\u202e`] }),
  'ledger verify': () => ({ args: [] }),
  'invitation issue': () => ({ args: ['--grant', '1', '--note', `a ${MARK}\u202e`] }),
  'invitation list': () => ({ args: [], shows: true }),
  'invitation withdraw': () => ({ args: [made.code] }),
  'upstream add': () => ({
    args: ['vendor', '--url', 'https://v.example/v1', '--root', join(folder, 'root.pem')],
  }),
  'upstream list': () => ({ args: [], shows: true }),
  'upstream events': () => ({ args: [], shows: true }),
  'upstream pin': () => ({ args: ['vendor', digestOf('a')] }),
  'upstream attest': () => ({ args: ['vendor'] }),
  'upstream disable': () => ({ args: ['vendor'] }),
  'upstream enable': () => ({ args: ['vendor'] }),
  'upstream rekey': () => ({ args: [] }),
  'cell move': () => ({ args: [made.workspace, '--to', `a ${MARK}\u202e`] }),
  'upstream diff': () => ({ args: ['vendor'] }),
  audit: () => ({ args: [], shows: true }),
  'db migrate': () => ({ args: [] }),
  'config check': () => ({ args: [] }),
  'config status': () => ({ args: [] }),
  'config reload': () => ({ args: [] }),
}

test('every command of the router is among those that meet foreign text', () => {
  expect(Object.keys(meetings).toSorted()).toEqual(commandsOf(createProgram()).toSorted())
})

test('no command of the router prints a control character of a stranger’s, or a line that a stranger begins', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      for (const [command, meet] of Object.entries(meetings)) {
        const { args, shows } = meet()
        const words = [...command.split(' '), ...args, '--config', config]
        await spoil(text)
        const people = await runInProcess(runProgram, words)
        const told = people.stdout + people.stderr
        expect(flawsOf(told), words.join(' ')).toEqual([])
        if (shows) expect(told, words.join(' ')).toContain(MARK)
        await spoil(text)
        const { stdout } = await runInProcess(runProgram, [...words, '--json'])
        for (const line of stdout.split('\n')) expect(line).not.toMatch(forbidden)
        if (stdout !== '') JSON.parse(stdout)
      }
    }),
    { numRuns: 3 },
  )
  vi.restoreAllMocks()
})
