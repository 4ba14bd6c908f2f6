import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openSite } from './site.ts'
import { createWorld, type World } from './world.ts'

/** A page that is open, what it was served from, and what it complained about. */
export interface Visit {
  readonly page: Page
  readonly world: World
  readonly site: Awaited<ReturnType<typeof openSite>>
  readonly go: (path: string) => Promise<void>
  /** Errors of scripts and every refusal of the Content-Security-Policy, in their words. */
  readonly complaints: string[]
}

interface VisitOptions extends BrowserContextOptions {
  readonly change?: (world: World) => void
}

/** Opens a browser's window on a site of its own; both go away with the test. */
export async function visit(browser: Browser, { change, ...options }: VisitOptions = {}): Promise<Visit> {
  const world = createWorld()
  change?.(world)
  const site = await openSite(world)
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|violates/.test(message.text())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(site.address)) complaints.push(`a foreign host: ${request.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    await site.close()
  })
  return {
    page,
    world,
    site,
    complaints,
    async go(path) {
      await page.goto(`${site.address}/console${path}`)
      await page.locator('h1').first().waitFor()
    },
  }
}
