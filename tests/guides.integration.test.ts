// @module-tag openssl
// @module-tag jq
// @module-tag curl

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAccount, finished, startMeter } from '../server/metering/testing.ts'
import { closeClocked, openClocked } from '../server/retention/testing.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import type { StackFile } from '../stack/stackfile.ts'
import { installClients } from './clients/install.ts'
import { freePort } from './gateway.ts'
import { createClone, PROJECT } from './guides/clone.ts'
import { type Step, stepsOf } from './guides/page.ts'
import { type Finding, judgeSteps } from './guides/session.ts'
import { type RunningStack, startStack } from './guides/stack.ts'

// Each page starts several programs, and the machine may be busy.
const PATIENCE_MS = 600_000

const stepsIn = (page: string) => stepsOf(readFileSync(join(PROJECT, page), 'utf8'))

let stack: RunningStack
/** Of the routers of pages: one in a reader's data folder would stay behind in /var/tmp when run as root. */
let database: TestServer

beforeAll(async () => {
  database = await startTestServer()
  stack = await startStack()
}, PATIENCE_MS)

afterAll(async () => {
  await stack?.stop()
  await database?.stop()
}, PATIENCE_MS)

test('the page for users can be followed as it stands', () => follow('docs/user.md'), PATIENCE_MS)

test(
  'the page for operators can be followed as it stands, in the month after the one that it exports',
  async () => {
    const databaseUrl = await openClosedMonth('2026-11-15T12:00:00Z', '2026-12-15T12:00:00Z')
    await follow('docs/operator.md', { databaseUrl })
  },
  PATIENCE_MS,
)

test(
  'the page for integrators can be followed as it stands',
  async () => {
    installClients()
    await follow('docs/integrator.md', { packages: join(PROJECT, 'tests/clients/node_modules') })
  },
  PATIENCE_MS,
)

test(
  'the first page can be followed as it stands, with the operator’s configuration',
  async () => {
    const file = stepsIn('docs/operator.md').findIndex(({ kind }) => kind === 'saved')
    const before = stepsIn('docs/operator.md').slice(0, file + 1)
    await follow('README.md', { before })
  },
  PATIENCE_MS,
)

test('the page of the suite can be followed as it stands', () => follow('conformance/README.md'), PATIENCE_MS)

test(
  'the guide of the suite can be followed as it stands, in an empty folder with nothing but the archive',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nothing-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const packed = join(folder, 'packed')
    execFileSync(process.execPath, [join(PROJECT, 'pack/main.ts'), 'conformance', '--into', packed])
    const empty = join(folder, 'empty')
    const archive = readdirSync(packed).find((name) => name.endsWith('.tgz'))!
    cpSync(join(packed, archive), join(empty, archive))
    expect(await walk(stepsIn('docs/conformance.md'), empty)).toEqual([])
  },
  PATIENCE_MS,
)

test('what is not run of the guides says why, and is little', () => {
  const pages = ['auditor', 'conformance', 'integrator', 'operator', 'user'].map((name) => `docs/${name}.md`)
  const steps = [...pages, 'README.md', 'CONTRIBUTING.md', 'conformance/README.md'].flatMap((page) =>
    stepsIn(page).map((step) => ({ page, step })),
  )
  const left = steps.flatMap(({ page, step }) =>
    step.kind === 'not run' ? [`${page}:${step.block.line}: ${step.reason}`] : [],
  )
  console.log(`Blocks of the guides that are not run:\n${left.map((line) => `  ${line}`).join('\n')}`)
  expect(left).toHaveLength(5)
})

interface Setting {
  /** Steps that the page takes for granted. */
  readonly before?: readonly Step[]
  /** What stands in the place of the project's packages. */
  readonly packages?: string
  /** Of the reader's PostgreSQL; an empty one when left out. */
  readonly databaseUrl?: string
}

/** A database with a month in which something was booked; its clock has gone on to the next one. */
async function openClosedMonth(booked: string, now: string): Promise<string> {
  const { url, sql, setClock } = await openClocked(database, booked)
  onTestFinished(closeClocked)
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  await setClock(now)
  return url
}

async function follow(page: string, { before = [], packages, databaseUrl }: Setting = {}): Promise<void> {
  const clone = createClone(stack.data)
  onTestFinished(() => clone.remove())
  if (packages !== undefined) {
    unlinkSync(join(clone.folder, 'node_modules'))
    symlinkSync(packages, join(clone.folder, 'node_modules'))
  }
  expect(await walk([...before, ...stepsIn(page)], clone.folder, databaseUrl)).toEqual([])
}

/** Takes steps in a folder, beside a running stack. */
async function walk(
  steps: readonly Step[],
  folder: string,
  databaseUrl?: string,
): Promise<readonly Finding[]> {
  const ports = await portsOf(stack.file)
  return await judgeSteps(steps, {
    folder,
    project: PROJECT,
    environment: {
      NODE: process.execPath,
      API_KEY: stack.file.api_key,
      DATABASE_URL: databaseUrl ?? (await database.createDatabase()),
    },
    localize: (text) =>
      text
        .replace(/\b\d{4}\b/g, (number) => ports[number] ?? number)
        .replaceAll('/var/backups', join(folder, 'backups')),
  })
}

/** Where the ports of a page are on this machine: those of `npm start`, and those that its readers' own programs take. */
async function portsOf(file: StackFile): Promise<Readonly<Record<string, string>>> {
  const own = ['8081', '8494', '8495', '9000', '9001', '9465']
  const free = await Promise.all(own.map(async (port) => [port, String(await freePort())] as const))
  return {
    8080: new URL(file.router_base_url).port,
    8443: new URL(file.platform_url).port,
    8444: new URL(file.platform_control_url).port,
    8484: new URL(file.proxy_base_url).port,
    9464: new URL(file.admin_url).port,
    ...Object.fromEntries(free),
  }
}
