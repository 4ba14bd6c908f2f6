import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openBrowser } from './browser.ts'
import { openSite } from './site.ts'

// Takes pictures of pages: `node console/testing/shoot.ts --to FOLDER [/keys …]`, light and dark, wide and phone.
const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } })
const folder = values.to ?? join(import.meta.dirname, '..', '..', 'docs', 'console')
mkdirSync(folder, { recursive: true })

const ALL = [
  '/sign-in',
  '/',
  '/welcome',
  '/keys',
  '/credits',
  '/requests',
  '/evidence',
  '/playground',
  '/account',
  '/admin/upstreams',
  '/admin/invitations',
  '/admin/workspaces',
  '/admin/audit',
]
const sizes = { wide: { width: 1_280, height: 900 }, phone: { width: 390, height: 844 } } as const

const site = await openSite()
const browser = await openBrowser()
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({
      colorScheme,
      viewport,
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
    })
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && console.log(message.text()))
    page.on('pageerror', (error) => console.log(error.message))
    for (const path of positionals.length === 0 ? ALL : positionals) {
      await page.goto(`${site.address}/console${path}`)
      await page.locator('h1').first().waitFor()
      await page.waitForLoadState('load')
      await page
        .locator('.mantine-Skeleton-root')
        .first()
        .waitFor({ state: 'detached' })
        .catch(() => undefined)
      await page.waitForTimeout(400)
      const name = path === '/' ? 'overview' : path.split('?')[0]!.slice(1).replaceAll('/', '-')
      await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true })
    }
    await context.close()
  }
}
await browser.close()
await site.close()
