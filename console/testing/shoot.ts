import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openBrowser } from './browser.ts'
import { scenes } from './scenes.ts'
import { openSite } from './site.ts'

// Takes a picture of every scene, or of those that are named, light and dark, wide and phone:
// node console/testing/shoot.ts [--to FOLDER] [NAME …]
const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } })
const folder = values.to ?? join(import.meta.dirname, '..', '..', 'docs', 'console')
mkdirSync(folder, { recursive: true })

const sizes = { wide: { width: 1_280, height: 900 }, phone: { width: 390, height: 844 } } as const

const browser = await openBrowser()
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const { name, path, isSignedOut, isOfScreen, act } of scenes) {
      if (positionals.length > 0 && !positionals.includes(name)) continue
      const site = await openSite()
      site.world.isSignedIn = !isSignedOut
      const page = await browser.newPage({
        colorScheme,
        viewport,
        timezoneId: 'Europe/Berlin',
        locale: 'en-GB',
        reducedMotion: 'reduce',
      })
      await page.goto(`${site.address}/console${path}`)
      await page.locator('h1').first().waitFor()
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
      await act?.(page, site.world)
      await page.evaluate(() => scrollTo(0, 0))
      await page.screenshot({
        path: join(folder, `${name}-${size}-${colorScheme}.png`),
        fullPage: !isOfScreen,
        animations: 'disabled',
      })
      await page.close()
      await site.close()
    }
  }
}
await browser.close()
