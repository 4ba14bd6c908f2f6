// @module-tag chromium
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openBrowser } from '../console/testing/browser.ts'
import { buildSite } from '../site/build.ts'
import { type Account, type Service, startService } from './service.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

let folder: string
let host: Server
/** The site behind a web server, whose origin the router names. */
let served: string
/** The same files as they lie on a disk. */
let onDisk: string
let service: Service
let account: Account
let browser: Browser

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'site-'))
  await buildSite(folder)
  onDisk = `${pathToFileURL(folder)}/`
  host = createServer(({ url = '' }, response) => {
    const path = join(folder, new URL(url, 'http://site').pathname)
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain').end(readFileSync(path))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => host.once('listening', resolve))
  served = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
  service = await startService({ corsOrigins: [new URL(served).origin] })
  account = await service.createAccount(1_000_000n)
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
  host?.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Visit {
  readonly page: Page
  /** Errors of scripts, refusals of the page's policy, and requests to other hosts. */
  readonly complaints: readonly string[]
}

async function visit(address: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  const own = [served, onDisk, new URL(service.baseUrl).origin]
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!own.some((start) => request.url().startsWith(start)))
      complaints.push(`a foreign host: ${request.url()}`)
  })
  await page.goto(address)
  return { page, complaints }
}

async function send({ page }: Visit, key: string, body?: object): Promise<void> {
  await page.getByLabel('Base address').fill(service.baseUrl)
  await page.getByLabel('Key').fill(key)
  if (body) await page.getByLabel('Body').fill(JSON.stringify(body))
  await page.getByRole('button', { name: 'Send' }).click()
}

test('a page of the API sends its request to a router, and shows the stream that comes back', async () => {
  const visited = await visit(`${served}api/createChatCompletion.html`)
  await send(visited, account.apiKey)
  const output = visited.page.locator('.try output')
  await output.getByText('data: [DONE]').waitFor()
  expect(await output.textContent()).toMatch(/200.*x-router-generation-id: gen-.*"cost_micros":/s)
  expect(await service.balanceOf(account.workspaceId)).toBeLessThan(1_000_000n)
  expect(visited.complaints).toEqual([])
})

test('an error that comes back leads to its page', async () => {
  const visited = await visit(`${served}api/listModels.html`)
  await send(visited, 'sk-tee-v1-none')
  await visited.page.getByRole('link', { name: 'What invalid_api_key means' }).click()
  await visited.page.waitForURL(`${served}errors/invalid_api_key.html`)
  expect(await visited.page.locator('h1').textContent()).toBe('invalid_api_key')
  expect(visited.complaints).toEqual([])
})

test('a page that the router does not name is told that it may read nothing', async () => {
  const visited = await visit(`${onDisk}api/listModels.html`)
  await send(visited, account.apiKey)
  await visited.page.getByText('does not name this page among its cors.origins').waitFor()
  expect(await visited.page.locator('.try pre').count()).toBe(0)
})

test('the search finds rules, errors and guides without a server', async () => {
  const { page, complaints } = await visit(`${onDisk}guides/user.html`)
  for (const [query, address] of [
    ['CRED-13', 'rules/CRED-13.html'],
    ['insufficient_credits', 'errors/insufficient_credits.html'],
    ['leaf_mismatch', 'reasons/tls-fingerprint/leaf_mismatch.html'],
    ['journal verify', 'guides/user.html'],
  ] as const) {
    await page.getByRole('searchbox').fill(query)
    await page.locator(`.found a[href$="${address}"], .found a[href*="${address}#"]`).first().waitFor()
  }
  await page.getByRole('searchbox').fill('CRED-13')
  await page
    .locator('.found a')
    .first()
    .filter({ hasText: /^CRED-13/ })
    .waitFor()
  await page.getByRole('searchbox').press('Enter')
  await page.waitForURL(`${onDisk}rules/CRED-13.html`)
  expect(complaints).toEqual([])
})

const kinds = [
  'index.html',
  'start/user.html',
  'api/createChatCompletion.html',
  'console-api/createKey.html',
  'rules/CRED-13.html',
  'architecture.html',
]

test.each([
  ['by day', 'light', 1280],
  ['by night', 'dark', 1280],
  ['on a phone by night', 'dark', 390],
] as const)('each kind of page can be read by everybody, %s', async (_, colorScheme, width) => {
  for (const address of kinds) {
    const { page, complaints } = await visit(`${onDisk}${address}`, {
      colorScheme,
      viewport: { width, height: 844 },
    })
    // A debugger may do what the page's own policy forbids to scripts.
    await page.evaluate(axe.source)
    expect(await page.evaluate(violations), address).toEqual([])
    expect(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      address,
    ).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  }
})

/** Runs in the page. */
async function violations(): Promise<readonly string[]> {
  interface Found {
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }
  const found = await (globalThis as unknown as { axe: { run(): Promise<Found> } }).axe.run()
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
