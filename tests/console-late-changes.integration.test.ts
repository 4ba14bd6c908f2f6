import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ConsoleOperationId, consoleRoutes } from '#contract/console/routes'
import { type Answer, type Browser, openBrowser } from './browser.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { type Service, startService } from './service.ts'

const ADA = 'ada@example.com'
const HOSTNAME = 'vendor.localhost'
const DIGEST = `sha256/${'A'.repeat(43)}`

/** All that the console's calls write to. */
const TABLES = [
  'accounts',
  'api_keys',
  'audit',
  'invitations',
  'key_directory',
  'known_browsers',
  'ledger',
  'sessions',
  'sign_in_codes',
  'sign_in_events',
  'upstreams',
  'workspaces',
] as const

type Routes = typeof consoleRoutes

/** The calls that change something in the database; page events are counted in memory. */
type Change = Exclude<
  { [Op in ConsoleOperationId]: Routes[Op]['method'] extends 'get' ? never : Op }[ConsoleOperationId],
  'sendEvents'
>

let service: Service
let gateway: TestGateway
let sources = 0

beforeAll(async () => {
  gateway = await startTestGateway('http://127.0.0.1:1', HOSTNAME)
  service = await startService({ console: { administrators: [ADA] }, trustedProxies: ['127.0.0.1'] })
})

afterAll(async () => {
  await service.stop()
  await gateway.close()
})

const newBrowser = () => openBrowser(service, `192.0.2.${++sources}`)

async function signedIn(email: string): Promise<Browser> {
  const browser = newBrowser()
  expect((await browser.signIn(email)).status).toBe(200)
  return browser
}

/** What the console has written. An upstream's own checks write there too. */
async function written(): Promise<unknown> {
  const rows = await Promise.all(
    TABLES.map((table) =>
      table === 'upstreams'
        ? service.sql`select name, id, is_disabled, pins, attestations_asked from upstreams order by name`
        : service.sql`select to_jsonb(one) as row from ${service.sql(table)} one order by 1`,
    ),
  )
  return rows.map((found, index) => [TABLES[index], [...found]])
}

/** Everything that is to be changed, and how; resolves the calls, none of which has been made. */
async function prepare(): Promise<Record<Change, () => Promise<Answer>>> {
  const [ada, leaver, phone, newcomer] = [
    await signedIn(ADA),
    await signedIn('leaver@example.com'),
    await signedIn(ADA),
    newBrowser(),
  ]
  const make = async (path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await ada.call('POST', path, body)
    expect(answer.status, path).toBe(201)
    return answer.body
  }
  const [changed, revoked] = [await make('/keys', { name: 'one' }), await make('/keys', { name: 'two' })]
  const invitation = await make('/admin/invitations', { grant_micros: 5 })
  const upstream = {
    url: `https://127.0.0.1:${new URL(gateway.gateway.url).port}/v1`,
    hostname: HOSTNAME,
    roots: readFileSync(gateway.gateway.rootPemFile, 'utf8'),
  }
  for (const name of ['pinned', 'asked', 'disabled']) await make('/admin/upstreams', { name, ...upstream })
  const me = (await ada.call('GET', '/me')).body
  const sessions = (await phone.call('GET', '/sessions')).body.data as { id: string; current: boolean }[]
  const session = sessions.find(({ current }) => current)!.id
  const email = 'newcomer@example.com'
  const code = await newcomer.askCode(email)
  return {
    askSignInCode: () => newBrowser().call('POST', '/sign-in/codes', { email: 'other@example.com' }),
    signIn: () => newcomer.call('POST', '/sign-in', { email, code }),
    deleteSession: () => leaver.call('DELETE', '/session'),
    endSession: () => ada.call('DELETE', `/sessions/${session}`),
    createKey: () => ada.call('POST', '/keys', { name: 'three' }),
    updateKey: () => ada.call('PATCH', `/keys/${changed.id}`, { name: 'renamed' }),
    revokeKey: () => ada.call('DELETE', `/keys/${revoked.id}`),
    registerUpstream: () => ada.call('POST', '/admin/upstreams', { name: 'new', ...upstream }),
    updateUpstream: () => ada.call('PATCH', '/admin/upstreams/disabled', { disabled: true }),
    attestUpstream: () => ada.call('POST', '/admin/upstreams/asked/attest'),
    changePins: () => ada.call('POST', '/admin/upstreams/pinned/pins', { add: [DIGEST] }),
    issueInvitation: () => ada.call('POST', '/admin/invitations', { grant_micros: 7 }),
    withdrawInvitation: () => ada.call('DELETE', `/admin/invitations/${invitation.id}`),
    creditWorkspace: () =>
      ada.call('POST', `/admin/workspaces/${me.workspace.id}/credit`, { amount_micros: 9, reason: 'Twice?' }),
  }
}

test('a change that was answered with an error is not made afterwards, whatever held it up', async () => {
  const calls = await prepare()
  // Of the mails too it is written down what became of them.
  await vi.waitUntil(
    async () => (await service.sql`select from sign_in_codes where mail = 'waiting'`).length === 0,
  )
  const before = await written()
  const lock = await service.sql.reserve()
  await lock`begin`
  await lock`lock table ${lock.unsafe(TABLES.join(', '))} in share mode`
  const answers = await Promise.all(
    Object.entries(calls).map(async ([change, call]) => {
      const { status, body } = await call()
      return { change, status, code: body?.error?.code }
    }),
  )
  await lock`commit`
  lock.release()
  await vi.waitUntil(async () => {
    const busy = await service.sql`
      select from pg_stat_activity where state <> 'idle' and backend_type = 'client backend' and pid <> pg_backend_pid()`
    return busy.length === 0
  })
  expect(answers).toEqual(Object.keys(calls).map((change) => ({ change, status: 503, code: 'overloaded' })))
  expect(await written()).toEqual(before)
  // Each of them can be made again.
  for (const [change, call] of Object.entries(calls)) expect((await call()).status, change).toBeLessThan(300)
})
