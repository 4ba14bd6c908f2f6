// @module-tag chromium
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { buildPage } from '../console/build/build.ts'
import { violationsOf } from '../console/testing/axe.ts'
import { openBrowser } from '../console/testing/browser.ts'
import { names } from '../console/testing/world.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { createWorkspace } from '../server/store/workspaces.ts'
import { mailsTo } from './browser.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { configOf, type ReloadableRouter, startReloadable } from './reload.ts'

const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const HOSTNAME = 'vendor.localhost'

let server: TestServer
let sql: Sql
let backend: Backend
let gateway: TestGateway
let router: ReloadableRouter
let browser: Browser
let origin: string
let outboxUrl: string

/** The file that names these people. */
const fileWith = (...administrators: readonly string[]) =>
  configOf(
    backend.url,
    1,
    `secretsKey: 'a secret of thirty-two letters, or more'
console: { administrators: [${administrators}], outbox: { host: 127.0.0.1, port: 0 } }
`,
  )

beforeAll(async () => {
  await buildPage()
  backend = await createBackend()
  gateway = await startTestGateway('http://127.0.0.1:1', HOSTNAME)
  server = await startTestServer()
  const opened = await server.open()
  sql = opened.sql
  router = await startReloadable(opened.url, fileWith(ADA, BOB))
  origin = new URL(router.baseUrl).origin
  // The log is written some times a second.
  const line = await vi.waitUntil(
    () =>
      router
        .log()
        .split('\n')
        .find((one) => one.includes('MAILS ARE SHOWN')),
    { timeout: 60_000 },
  )
  outboxUrl = /"address":"(http:[^"]+)"/.exec(line)![1]!
  browser = await openBrowser()
})

afterAll(async () => {
  await browser.close()
  await router.stop()
  router.remove()
  await gateway.close()
  await backend.close()
  await server.stop()
})

const go = (page: Page, path: string) => page.goto(`${origin}/console${path}`)

/** Signs somebody in, in a browser of their own. */
async function enter(email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  const before = (await mailsTo(outboxUrl, email)).length
  await go(page, '/sign-in?to=/account')
  await page.getByLabel('E-mail address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByLabel('Digit 1 of 6').waitFor()
  await expect.poll(async () => (await mailsTo(outboxUrl, email)).length).toBeGreaterThan(before)
  const [mail] = await mailsTo(outboxUrl, email)
  await page.keyboard.type(/^\d{6}$/m.exec(mail!.text)![0])
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
  return page
}

/** What the page of the audit shows, the newest first: who, what, about what. */
async function acts(page: Page): Promise<string[][]> {
  await go(page, '/admin/audit')
  await page.getByRole('row').nth(1).waitFor()
  const rows = await page.locator('tbody tr').all()
  return await Promise.all(
    rows.map(async (row) => (await row.getByRole('cell').allInnerTexts()).map((text) => text.trim())),
  )
}

let ada: Page

test('an upstream is registered, compared, approved, taken out and put back in the page', async () => {
  ada = await enter(ADA)
  await go(ada, '/admin/upstreams')
  await ada.getByRole('button', { name: 'Register an upstream' }).first().click()
  const dialog = ada.getByRole('dialog')
  const url = `https://127.0.0.1:${new URL(gateway.gateway.url).port}/v1`
  await dialog.getByLabel('Name', { exact: true }).fill('vendor')
  await dialog.getByLabel('Base URL').fill(url)
  await dialog.getByLabel('Hostname', { exact: true }).fill(HOSTNAME)
  await dialog.getByLabel('Trusted roots').fill(readFileSync(gateway.gateway.rootPemFile, 'utf8'))
  // Twice, as a finger that trembles does.
  await dialog.getByRole('button', { name: 'Register', exact: true }).dblclick()
  await dialog.waitFor({ state: 'hidden' })
  await ada.getByText('nothing of it is ever admitted').waitFor()

  await ada.getByRole('button', { name: 'Compare and pin' }).click()
  await ada.getByRole('button', { name: 'Approve this deployment' }).click()
  await ada.getByRole('dialog').waitFor({ state: 'hidden' })
  const { digest } = await gateway.control('/state')
  const hex = `sha256:${Buffer.from(digest.slice('sha256/'.length), 'base64url').toString('hex')}`
  await ada.getByText(hex).first().waitFor()
  await ada.getByRole('button', { name: 'Check now' }).click()
  await expect
    .poll(async () => (await sql`select event from upstream_events where event = 'admitted'`).length, {
      timeout: 30_000,
    })
    .toBeGreaterThan(0)

  // Another deployment is told by what differs.
  await gateway.control('/rotate/deployment')
  await ada.getByRole('button', { name: 'Compare and pin' }).click()
  await ada.getByRole('button', { name: 'Approve this deployment' }).waitFor()
  await ada.getByRole('dialog').getByText(hex).waitFor()
  expect(
    await ada
      .getByRole('dialog')
      .locator('ol > li')
      .filter({ has: ada.locator('ins, del') })
      .count(),
  ).toBeGreaterThan(0)
  await ada.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()

  await ada.getByRole('button', { name: 'Take out of service' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Take out' }).click()
  await ada.getByRole('button', { name: 'Put back' }).click()
  await ada.getByRole('button', { name: 'Take out of service' }).waitFor()
  await ada.getByRole('button', { name: 'What happened' }).click()
  await ada.getByRole('cell', { name: 'registered' }).first().waitFor()

  await ada.getByRole('button', { name: `Withdraw the approval of ${hex}` }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await ada.getByText('nothing of it is ever admitted').waitFor()
  const rows = await acts(ada)
  expect(rows.map(([, who, what, about]) => [who!.split('\n')[0], what, about])).toEqual(
    [
      'withdrew an approval',
      'put an upstream back',
      'took an upstream out of service',
      'asked for a check',
      'approved a deployment',
      'registered an upstream',
    ].map((what) => [ADA, what, 'vendor']),
  )
  expect(rows[0]![4]).toContain(hex)
})

test('an invitation is issued, and withdrawn', async () => {
  await go(ada, '/admin/invitations')
  await ada.getByRole('button', { name: 'Issue an invitation' }).first().click()
  await ada.getByLabel('Grants').fill('5')
  await ada.getByRole('button', { name: 'Issue', exact: true }).dblclick()
  await ada.getByText('It grants $5.00').waitFor()
  const code = await ada.getByRole('dialog').locator('code').first().innerText()
  await ada.getByRole('button', { name: 'Done' }).click()
  await ada.getByRole('row').filter({ hasText: code }).getByText('Open').waitFor()
  await ada.getByRole('row').filter({ hasText: code }).getByRole('button', { name: 'Withdraw' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await ada.getByRole('row').filter({ hasText: code }).getByText('Withdrawn').waitFor()
  expect((await acts(ada)).slice(0, 2).map(([, , what]) => what)).toEqual([
    'withdrew an invitation',
    'issued an invitation',
  ])
})

test.each([
  ['an invitation', '/admin/invitations', 'Issue an invitation', 'Grants', '5', 'It grants $5.00'],
  ['a key', '/keys', 'Create a key', 'Name', 'twice', 'I have kept it'],
])(
  '%s that is asked for twice before the page has shown it is made once',
  async (_, path, button, label, value, done) => {
    const page = await enter(ADA)
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith(`/console/api${path}`)) sent++
    })
    await go(page, path)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('dialog').locator('input').last().focus()
    const twice = 'for (let count = 0; count < 2; count++) document.querySelector("form").requestSubmit()'
    await page.evaluate(twice)
    await page.getByText(done).waitFor()
    // Whatever was sent before this was answered has been sent by now.
    await acts(page)
    expect(sent).toBe(1)
    await page.context().close()
  },
)

test('the pages of administration keep the rules of accessibility, whatever stands in names', async () => {
  for (const name of Object.values(names)) await createWorkspace(sql, name)
  const page = await enter(ADA)
  for (const path of ['upstreams', 'invitations', 'workspaces', 'audit']) {
    await go(page, `/admin/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect([path, await violationsOf(page)]).toEqual([path, []])
  }
  await go(page, '/admin/workspaces')
  for (const name of Object.values(names)) await page.getByText(name, { exact: true }).waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.context().close()
})

let bob: Page

test('a workspace is found, credited and debited, and its people see the rows', async () => {
  bob = await enter(BOB)
  await go(ada, '/admin/workspaces')
  await ada.getByLabel('Find').fill(BOB)
  await expect.poll(() => ada.getByRole('button', { name: /^Open / }).count()).toBe(1)
  await ada.getByRole('button', { name: /^Open / }).click()
  for (const [direction, amount, reason] of [
    ['Add', '5', 'Invoice 1'],
    ['Take back', '2', 'Invoice 1 was too high'],
  ] as const) {
    await ada.getByText(direction, { exact: true }).first().click()
    await ada.getByLabel('Amount').fill(amount)
    await ada.getByLabel('Reason').fill(reason)
    await ada.getByRole('button', { name: direction, exact: true }).dblclick()
    await ada.getByRole('dialog').getByRole('cell', { name: reason }).waitFor()
  }
  await go(bob, '/credits')
  await bob.getByRole('link', { name: /^Balance \$3\.00/ }).waitFor()
  await bob.getByRole('cell', { name: 'Invoice 1 was too high' }).waitFor()
  const [, , details] = (await acts(ada)).slice(0, 3).map((row) => row.join(' '))
  expect(details).not.toContain('moved a balance')
})

test('whom the file names no more is shown nothing of administration, without a reload of the page', async () => {
  await go(bob, '/admin/workspaces')
  const menu = bob.getByRole('navigation').getByRole('link', { name: 'Audit trail' })
  await menu.first().waitFor()
  router.write(fileWith(ADA))
  expect((await router.command('reload')).code).toBe(0)
  await bob.getByLabel('Find').fill('anybody')
  await bob.getByRole('heading', { name: 'This is for administrators' }).waitFor()
  expect(await menu.count()).toBe(0)
  expect(await bob.getByRole('table').count()).toBe(0)
  const cookies = (await bob.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${origin}/console/api/admin/invitations`, {
    method: 'POST',
    headers: { cookie: cookies, origin, 'content-type': 'application/json' },
    body: '{"grant_micros":1}',
  })
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ error: { code: 'not_administrator' } })
  const [count] = await sql`select count(*)::integer as count from audit where actor = ${BOB}`
  expect(count).toEqual({ count: 0 })
  // What is their own is theirs.
  await bob.getByRole('link', { name: 'Go to the overview' }).click()
  await bob.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('a database that is away is said while the page is open, and all of it goes on by itself', async () => {
  await go(bob, '/keys')
  await bob.getByRole('button', { name: 'Create a key' }).first().click()
  await bob.getByRole('dialog').getByLabel('Name').fill('laptop')
  await bob.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  const apiKey = await bob.getByTestId('new-key').innerText()
  await go(bob, '/requests')
  await bob.getByText('Live', { exact: true }).waitFor()
  const away = bob.getByText('The router cannot be reached').first()
  await server.embedded.stop()
  await away.waitFor({ timeout: 60_000 })
  await bob.getByText('Away', { exact: true }).waitFor()
  // It goes on saying so.
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  expect(await away.count()).toBe(1)
  await server.embedded.ensureRunning()
  await away.waitFor({ state: 'hidden', timeout: 60_000 })
  await bob.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 })
  const answer = await fetch(`${router.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const { id } = (await answer.json()) as { id: string }
  await bob.locator(`[data-request="${id}"]`).getByText('OK', { exact: true }).waitFor({ timeout: 60_000 })
})

test('a session is ended from another one, and a sign-out in one tab empties the other', async () => {
  const elsewhere = await enter(BOB)
  await go(bob, '/account')
  await bob.getByRole('button', { name: 'End', exact: true }).first().click()
  await expect.poll(() => bob.getByRole('button', { name: 'End', exact: true }).count()).toBe(0)
  await go(elsewhere, '/credits')
  await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor()

  const tab = await bob.context().newPage()
  await go(tab, '/credits')
  await tab.getByRole('cell', { name: 'Invoice 1', exact: true }).waitFor()
  await bob.getByRole('button', { name: 'Sign out' }).click()
  for (const page of [bob, tab]) await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await bob.goBack()
  await bob.getByRole('heading', { name: 'Sign in' }).waitFor()
  for (const page of [bob, tab]) expect(await page.getByText('Invoice 1').count()).toBe(0)
})
