import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules of WCAG 2.2 AA and of good practice that a page as it stands breaks, and where. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  // A debugger may do what the page's own policy forbids to scripts.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    interface Violation {
      readonly id: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 240)}`,
      ),
    )
  })
}
