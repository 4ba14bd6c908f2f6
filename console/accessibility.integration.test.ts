// @module-tag chromium
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsOf } from './testing/axe.ts'
import { openBrowser } from './testing/browser.ts'
import { pages } from './testing/pages.ts'
import { visit } from './testing/visit.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(() => browser.close())

const sizes = { wide: { width: 1_280, height: 900 }, phone: { width: 390, height: 844 } } as const
const kinds = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (['wide', 'phone'] as const).map((size) => [colorScheme, size] as const),
)

describe.each(kinds)('in %s, on a %s screen', (colorScheme, size) => {
  test('no page breaks a rule of accessibility, is wider than the screen, or reaches beyond its own host', async () => {
    const { page, go, complaints } = await visit(browser, {
      colorScheme,
      viewport: sizes[size],
      reducedMotion: 'reduce',
    })
    const found: Record<string, string[]> = {}
    for (const [path, heading] of pages) {
      await go(path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      const violations = await violationsOf(page)
      const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (overhang > 0) violations.push(`${overhang} pixels wider than the screen`)
      if (violations.length > 0) found[path] = violations
    }
    expect(found).toEqual({})
    expect(complaints).toEqual([])
  })

  test('nor does the sign-in, or what opens above a page', async () => {
    const { page, go, world } = await visit(browser, {
      colorScheme,
      viewport: sizes[size],
      reducedMotion: 'reduce',
    })
    await go('/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('ci')
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByTestId('new-key').waitFor()
    expect(await violationsOf(page)).toEqual([])

    await go(`/requests?id=${world.requests[3]!.id}`)
    await page.getByText('micro-dollars').first().waitFor()
    expect(await violationsOf(page)).toEqual([])

    world.isSignedIn = false
    await go('/sign-in')
    expect(await violationsOf(page)).toEqual([])
    await page.getByLabel('E-mail address').fill('ada@example.org')
    await page.keyboard.press('Enter')
    await page.getByLabel('Digit 1 of 6').waitFor()
    expect(await violationsOf(page)).toEqual([])
  })
})
