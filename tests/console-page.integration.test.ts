// @module-tag chromium
import OpenAI from 'openai'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Generation } from '#contract/models'
import { buildPage } from '../console/build/build.ts'
import { openBrowser } from '../console/testing/browser.ts'
import { issueInvitation } from '../server/invitations/invitations.ts'
import { postEntry } from '../server/metering/ledger.ts'
import { mailsTo } from './browser.ts'
import { type Proxies, startProxies } from './clients/proxies.ts'
import { layWire, type Wire } from './clients/wire.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { demoModel, type Service, startService } from './service.ts'

const EMAIL = 'ada@example.org'

let gateway: TestGateway
let service: Service
let wire: Wire
let proxies: Proxies
let browser: Browser
let page: Page

beforeAll(async () => {
  await buildPage()
  // Gateway and router have to know each other; the wire is there before both.
  wire = await layWire(() => Number(new URL(service.baseUrl).port))
  gateway = await startTestGateway(wire.url)
  service = await startService({
    console: {},
    endpoints: [gateway.endpoint],
    models: (url) => [demoModel(url, { endpoint: gateway.endpoint })],
  })
  proxies = await startProxies(gateway, service.consoleUrl)
  browser = await openBrowser()
  page = await (await browser.newContext()).newPage()
})

afterAll(async () => {
  await browser.close()
  await proxies.stop()
  await service.stop()
  await gateway.close()
  await wire.close()
})

/** The code of the newest mail, once it is there. */
async function readCode(): Promise<string> {
  for (;;) {
    const [newest] = await mailsTo(service.outboxUrl, EMAIL)
    const code = newest && /^\d{6}$/m.exec(newest.text)?.[0]
    if (code !== undefined) return code
  }
}

// Each of these goes on where the one before has left the page: one person's first visit.
test('a person signs up with an invitation, and their credit stands in the ledger', async () => {
  const { code } = await issueInvitation(service.sql, { grantMicros: 5_000_000n, description: 'Welcome' })
  await page.goto(`${service.consoleUrl}/console/sign-in?invitation=${code}`)
  await page.getByText('A new account gets $5.00').waitFor()
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.keyboard.press('Enter')
  await page.getByLabel('Digit 1 of 6').waitFor()
  await page.keyboard.type(await readCode())
  await page.getByText('Your invitation gave you $5.00').waitFor()
  await page.goto(`${service.consoleUrl}/console/credits`)
  await page.getByRole('cell', { name: 'Invitation credit' }).waitFor()
})

let apiKey: string

test('the guide makes a key and ends with an answer of the model', async () => {
  await page.goto(`${service.consoleUrl}/console/welcome`)
  await page.getByRole('button', { name: 'Create my first key' }).click()
  apiKey = await page.getByTestId('new-key').innerText()
  expect(apiKey).toMatch(/^sk-tee-v1-[\w-]{43}$/)
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('That was the first one').waitFor()
})

test('a stream of the SDK through the proxy is in the log while it runs, and ends there as its record says', async () => {
  await page.goto(`${service.consoleUrl}/console/requests`)
  await page.getByText('Live', { exact: true }).waitFor()
  await service.backend.play({
    rules: [{ chunks: Array.from({ length: 20 }, () => 'word '), betweenChunksMs: 300 }, {}],
  })
  const client = new OpenAI({ baseURL: proxies.admitting, apiKey, maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'demo/tiny-chat',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  })
  let id = ''
  const reading = (async () => {
    for await (const chunk of stream) id ||= chunk.id
  })()
  const running = page.locator('tbody tr').filter({ hasText: 'Running' })
  await running.waitFor()
  await reading
  const row = page.locator(`[data-request="${id}"]`)
  await row.getByText('OK', { exact: true }).waitFor()

  const record = await fetch(`${service.baseUrl}/generation?id=${id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const { data } = (await record.json()) as { data: Generation }
  expect(await row.locator('time').getAttribute('datetime')).toBe(data.created_at)
  const wait = data.time_to_first_token_ms!
  const cells = await row.getByRole('cell').allInnerTexts()
  expect(cells.slice(1)).toEqual([
    data.model,
    'First key',
    String(data.prompt_tokens),
    String(data.completion_tokens),
    `$0.${String(data.cost_micros).padStart(6, '0')}`,
    `${data.tokens_per_second!.toFixed(1)} /s`,
    wait < 999.5 ? `${Math.round(wait)} ms` : `${(wait / 1_000).toFixed(2)} s`,
    data.status.toUpperCase(),
  ])
  await row.getByRole('link').press('Enter')
  await page.getByRole('dialog').getByText(`${data.cost_micros} micro-dollars`).waitFor()
  await page.getByRole('dialog').getByRole('link', { name: 'Check its bundle' }).click()
  await page.locator('[data-check="snapshot"][data-equal="true"]').waitFor()
})

test('the bundle that the router publishes is what this browser computes of it', async () => {
  await page.goto(`${service.consoleUrl}/console/evidence`)
  for (const check of ['snapshot', 'listed', 'bytes', 'copies']) {
    await page.locator(`[data-check="${check}"][data-equal="true"]`).waitFor()
  }
  expect(await page.locator('[data-equal="false"]').count()).toBe(0)
})

test('credit that comes from elsewhere moves the balance on the page', async () => {
  await page.goto(`${service.consoleUrl}/console/credits`)
  await page.getByRole('cell', { name: 'Invitation credit' }).waitFor()
  const [workspace] = await service.sql<{ id: string }[]>`select id from workspaces`
  const entry = { kind: 'top_up', amountMicros: 10_000_000n, description: 'Invoice 1' } as const
  await postEntry(service.sql, { workspaceId: workspace!.id, ...entry })
  await page.getByRole('link', { name: /^Balance \$14\.99/ }).waitFor()
})

test('a key that was revoked is refused from the next request on', async () => {
  await page.goto(`${service.consoleUrl}/console/keys`)
  await page.getByRole('button', { name: 'Change the key First key' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const client = new OpenAI({ baseURL: proxies.admitting, apiKey, maxRetries: 0 })
  await expect(client.models.list()).rejects.toMatchObject({ status: 401, code: 'api_key_revoked' })
})

test('a sign-out ends the session at the server', async () => {
  const cookies = await page.context().cookies()
  await page.goto(`${service.consoleUrl}/console/account`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${service.consoleUrl}/console/api/me`, { headers: { cookie } })
  expect(answer.status).toBe(401)
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
