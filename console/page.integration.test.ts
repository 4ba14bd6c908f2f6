// @module-tag chromium
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CODE, KEY } from './testing/api.ts'
import { openBrowser } from './testing/browser.ts'
import { visit } from './testing/visit.ts'
import { ago, idOf, names, type World } from './testing/world.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(() => browser.close())

const signedOut = {
  change(world: World) {
    world.isSignedIn = false
  },
}

test('somebody signs in by a code that is pasted, and is led where they wanted to go', async () => {
  const { page, go, complaints } = await visit(browser, {
    ...signedOut,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await go('/keys')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByLabel('Digit 1 of 6').waitFor()
  await page.evaluate((code) => navigator.clipboard.writeText(code), CODE)
  await page.getByLabel('Digit 1 of 6').focus()
  await page.keyboard.press('ControlOrMeta+v')
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  expect(complaints).toEqual([])
})

test('a wrong code is said to be wrong, and another can be typed at once', async () => {
  const { page, go } = await visit(browser, signedOut)
  await go('/sign-in')
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.keyboard.press('Enter')
  await page.getByLabel('Digit 1 of 6').waitFor()
  await page.keyboard.type('000000')
  await page.getByRole('alert').getByText('This code does not sign in').waitFor()
  await page.getByLabel('Digit 1 of 6').focus()
  await page.keyboard.type(CODE)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('an invitation says what it grants, and its account begins with the guide', async () => {
  const { page, go, world } = await visit(browser, signedOut)
  const { code } = world.invitations[2]!
  await go(`/sign-in?invitation=${code}`)
  await page.getByText('A new account gets $15.00').waitFor()
  await page.getByLabel('E-mail address').fill('new@example.org')
  await page.keyboard.press('Enter')
  await page.getByLabel('Digit 1 of 6').waitFor()
  await page.keyboard.type(CODE)
  await page.getByText('Your invitation gave you $5.00').waitFor()
})

test('the guide ends with the first answer', async () => {
  const { page, go, world, complaints } = await visit(browser)
  await go('/welcome')
  await page.getByRole('button', { name: 'Create my first key' }).click()
  await page.getByTestId('new-key').getByText(KEY).waitFor()
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('That was the first one').waitFor()
  await page.getByText('the bill is exact').waitFor()
  expect(world.pageEvents.map(({ name }) => name)).toContain('guide_ended')
  expect(complaints).toEqual([])
})

test('a key is shown once, changed and revoked, by keyboard alone', async () => {
  const { page, go, world } = await visit(browser)
  await go('/keys')
  await page.getByRole('button', { name: 'Create a key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Name').fill('ci')
  await page.keyboard.press('Enter')
  await page.getByTestId('new-key').getByText(KEY).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await page.content()).not.toContain(KEY)

  await page.getByRole('button', { name: 'Change the key ci' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Revoke' }).waitFor()
  await page.getByRole('menuitem', { name: 'Revoke' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(world.keys[0]).toMatchObject({ name: 'ci', state: 'revoked' })
  await page.getByRole('row', { name: /^ci/ }).getByText('Revoked').waitFor()
})

test('a request is in the log while it runs, and ends there without a reload', async () => {
  const { page, go, site, world } = await visit(browser)
  await go('/requests')
  await page.getByText('Live', { exact: true }).waitFor()
  const running = {
    ...world.requests[1]!,
    id: idOf('gen-', 0),
    created_at: ago(-5_000),
    status: 'running',
  } as const
  site.tell({ request: { ...running, cost_micros: null, output_tokens: 3 } })
  const row = page.locator(`[data-request="${running.id}"]`)
  await row.getByText('Running').waitFor()
  site.tell({ request: { ...running, status: 'ok', output_tokens: 812, cost_micros: 487 } })
  await row.getByText('OK', { exact: true }).waitFor()
  expect(await row.innerText()).toContain('812')
  expect(await row.innerText()).toContain('$0.000487')
  expect(await page.locator('tbody tr').first().getAttribute('data-request')).toBe(running.id)
})

test('the balance moves by itself', async () => {
  const { page, go, site } = await visit(browser)
  await go('/requests')
  await page.getByText('Live', { exact: true }).waitFor()
  site.tell({ balance: { balance_micros: 7_000_001, held_micros: 0 } })
  await page.getByRole('link', { name: 'Balance $7.000001' }).waitFor()
})

test('a row leads to its request, whose cost is worked out digit by digit', async () => {
  const { page, go, world } = await visit(browser)
  await go('/requests')
  const row = world.requests[2]!
  await page.locator(`[data-request="${row.id}"]`).getByRole('link').press('Enter')
  const drawer = page.getByRole('dialog')
  await drawer.getByText(row.id).waitFor()
  const product = (row.input_tokens * 150_000).toLocaleString('en-US')
  await drawer.getByText(product).waitFor()
  await drawer.getByText(`${row.cost_micros} micro-dollars`).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
})

test('filter and order stand in the address, and the CSV is narrowed alike', async () => {
  const { page, go } = await visit(browser)
  await go('/requests?status=aborted')
  await page.getByRole('button', { name: 'Cost', exact: true }).click()
  await page.waitForURL(/sort=cost/)
  expect(await page.getByRole('columnheader', { name: 'Cost', exact: true }).getAttribute('aria-sort')).toBe(
    'descending',
  )
  await page.locator('tbody').getByText('Aborted').first().waitFor()
  expect(await page.locator('tbody').getByText('OK', { exact: true }).count()).toBe(0)
  const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
  expect(csv).toMatch(/requests\.csv\?.*status=aborted/)
  expect(csv).toContain('sort=cost')
})

test('the next page of the log comes behind the last row', async () => {
  const { page, go, world } = await visit(browser)
  await go('/requests')
  await page.locator('tbody tr').nth(49).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.locator('tbody tr').nth(99).waitFor()
  const shown = await page
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-request')))
  expect(shown).toEqual(world.requests.slice(0, 100).map(({ id }) => id))
})

test('names are texts, whatever stands in them', async () => {
  const { page, go } = await visit(browser)
  await go('/keys')
  await page.getByText(names.html, { exact: true }).waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(await page.title()).toContain('Keys')
  await page.getByText(names.long).first().waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(width).toBeLessThanOrEqual(0)
})

test('the digests of a bundle are computed in the browser, and two deployments are compared', async () => {
  const { page, go, world, complaints } = await visit(browser)
  await go('/evidence')
  await page.locator('[data-check="snapshot"][data-equal="true"]').waitFor()
  await page.getByText('No hardware is proven.').waitFor()
  await page.getByText('Your own proxy judges it where you demand hardware of a root.').waitFor()
  await page.getByRole('button', { name: 'Compare with the one before' }).click()
  await page.getByText('spec.template.spec.containers[router].image').waitFor()
  expect(world.pageEvents.map(({ name }) => name)).toContain('bundle_checked')
  expect(complaints).toEqual([])
})

test('a bundle that is not what the router lists is told apart', async () => {
  const { page, go } = await visit(browser, {
    change: (world) => {
      const [own] = world.endpoints
      own!.evidence_digest = `sha256/${'A'.repeat(43)}`
    },
  })
  await go('/evidence')
  await page.locator('[data-check="listed"][data-equal="false"]').waitFor()
  await page.getByText('do not rely on this bundle').waitFor()
})

test('the playground streams with a key of its own, and keeps nothing', async () => {
  const { page, go, world } = await visit(browser)
  await go('/playground')
  const words = 'a secret that nobody keeps'
  await page.getByLabel('Your message').fill(words)
  await page.keyboard.press('Enter')
  await page.getByText('the bill is exact').waitFor()
  expect(world.keys[0]).toMatchObject({ name: 'Playground', spend_limit_micros: 500_000 })
  expect(Date.parse(world.keys[0]!.expires_at!) - Date.now()).toBeLessThanOrEqual(3_600_000)
  const kept = await page.evaluate(
    () => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie,
  )
  expect(kept).not.toContain('secret')
  expect(JSON.stringify(world.pageEvents)).not.toContain('secret')
  await page.reload()
  await page.getByText('Ask anything').waitFor()
})

test('what is away is said, and goes away by itself', async () => {
  const { page, go, world } = await visit(browser)
  await go('/requests')
  await page.locator('tbody tr').first().waitFor()
  world.outage = 503
  await page.getByRole('button', { name: 'Cost', exact: true }).click()
  await page.getByText('The router cannot be reached').waitFor()
  expect(await page.locator('tbody tr').count()).toBeGreaterThan(0)
  world.outage = undefined
  await page.getByText('The router cannot be reached').waitFor({ state: 'hidden' })
})

test('a router that has gone, and has come back, is noticed', async () => {
  const { page, go, site } = await visit(browser)
  await go('/requests')
  await page.getByText('Live', { exact: true }).waitFor()
  await site.close()
  await page.getByText('Connecting').waitFor()
  await site.open()
  await page.getByText('Live', { exact: true }).waitFor()
})

test('events that were refused are asked for again', async () => {
  const { page, go, world, site } = await visit(browser)
  await go('/requests')
  await page.getByText('Live', { exact: true }).waitFor()
  await site.close()
  world.outage = 503
  const refused = page.waitForResponse((answer) => answer.url().endsWith('/live') && answer.status() === 503)
  await site.open()
  await refused
  await page.getByText('Connecting').waitFor()
  world.outage = undefined
  await page.getByText('Live', { exact: true }).waitFor()
})

test('after sign-out the way back shows nothing private, in any tab', async () => {
  const { page, go, world, site } = await visit(browser)
  const other = await page.context().newPage()
  await other.goto(`${site.address}/console/credits`)
  await other.getByRole('heading', { name: 'Credits' }).waitFor()
  await go('/keys')
  await page.getByText(names.long).waitFor()
  await page.getByRole('link', { name: 'Account' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(world.isSignedIn).toBe(false)
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.content()).not.toContain(names.long)
})

test('a session that has ended at the server leads to the sign-in', async () => {
  const { page, go, site, world } = await visit(browser)
  await go('/requests')
  await page.getByText('Live', { exact: true }).waitFor()
  world.isSignedIn = false
  site.tell('end')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(new URL(page.url()).searchParams.get('to')).toBe('/requests')
})

test('an administrator reads what an upstream changes, and approves it', async () => {
  const { page, go, world } = await visit(browser)
  await go('/admin/upstreams')
  await page.getByRole('button', { name: 'Compare and pin' }).click()
  await page.getByText('registry.example/model-server@sha256:2222').waitFor()
  await page.getByRole('button', { name: 'Approve this deployment' }).click()
  await page.getByText('Pending').waitFor()
  expect(world.upstreams[0]!.pins).toHaveLength(2)
})

test('an administrator registers an upstream, and demands hardware of its root’s key', async () => {
  const { page, go, world } = await visit(browser)
  await go('/admin/upstreams')
  await page.getByRole('button', { name: 'Register an upstream' }).click()
  await page.getByLabel('Name', { exact: true }).fill('vendor')
  await page.getByLabel('Base URL').fill('https://inference.vendor.example/v1')
  await page.getByLabel('Trusted roots').fill('-----BEGIN CERTIFICATE-----')
  const demand = page.getByLabel('Hardware of the roots’ key')
  await demand.fill('measurements: [')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByText('This is no YAML.').waitFor()
  expect(world.upstreams).toHaveLength(1)
  const register = 'ab'.repeat(48)
  const guest = `{ tee: tdx, mrtd: ${register}, rtmr1: ${register}, rtmr2: ${register} }`
  await demand.fill(`measurements:\n  - ${guest}`)
  expect(await page.getByText('This is no YAML.').count()).toBe(0)
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByText('demanded; nothing admitted shows it').waitFor()
  expect(world.upstreams[1]).toMatchObject({
    name: 'vendor',
    attested: { measurements: [{ tee: 'tdx', mrtd: register, rtmr1: register, rtmr2: register }] },
  })
})

test('an administrator issues an invitation and credits a workspace', async () => {
  const { page, go, world } = await visit(browser)
  await go('/admin/invitations')
  await page.getByRole('button', { name: 'Issue an invitation' }).click()
  await page.getByLabel('Grants').fill('2.50')
  await page.keyboard.press('Enter')
  await page.getByText('It grants $2.50').waitFor()
  expect(world.invitations[0]).toMatchObject({ grant_micros: 2_500_000 })

  await go('/admin/workspaces')
  await page.getByRole('button', { name: 'Open Analytical Engines' }).click()
  await page.getByLabel('Amount').fill('0.000001')
  await page.getByLabel('Reason').fill('Rounding')
  await page.keyboard.press('Enter')
  await page.getByText('Done: $0.000001').waitFor()
  expect(world.workspaces[0]!.balance_micros).toBe(23_418_903)
})

test('who is no administrator is shown no way to administration', async () => {
  const { page, go } = await visit(browser, {
    change(world) {
      world.me.administrator = false
    },
  })
  await go('/')
  await page.getByRole('link', { name: 'Keys' }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0)
})

test('a workspace that is new is led to its first request', async () => {
  const { page, go } = await visit(browser, {
    change: (world) => void Object.assign(world, { requests: [], ledger: [], keys: [] }),
  })
  await go('/')
  await page.getByText('Nothing was used in this time').waitFor()
  await page.getByRole('link', { name: 'Make the first one' }).click()
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
})
