import type { Page } from 'playwright-core'
import { CODE } from './api.ts'
import type { World } from './world.ts'

/** One picture: where the page is, and what is done there first. */
export interface Scene {
  readonly name: string
  readonly path: string
  readonly isSignedOut?: true
  /** Whether the picture is of the screen alone, without what is scrolled to. */
  readonly isOfScreen?: true
  readonly act?: (page: Page, world: World) => Promise<unknown>
}

const whole = (name: string, path: string): Scene => ({ name, path })

/** Every page, and what opens above some of them. */
export const scenes: readonly Scene[] = [
  { name: 'sign-in', path: '/sign-in', isSignedOut: true },
  {
    name: 'sign-in-code',
    path: '/sign-in',
    isSignedOut: true,
    async act(page) {
      await page.getByLabel('E-mail address').fill('ada@example.org')
      await page.keyboard.press('Enter')
      await page.getByLabel('Digit 1 of 6').waitFor()
      await page.keyboard.type(CODE.slice(0, 3))
    },
  },
  whole('welcome', '/welcome'),
  {
    name: 'welcome-answer',
    path: '/welcome',
    async act(page) {
      await page.getByRole('button', { name: 'Create my first key' }).click()
      await page.getByRole('button', { name: 'Ask', exact: true }).click()
      await page.getByText('That was the first one').waitFor()
    },
  },
  whole('overview', '/'),
  whole('keys', '/keys'),
  {
    name: 'keys-new',
    path: '/keys',
    isOfScreen: true,
    async act(page) {
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('ci')
      await page.keyboard.press('Enter')
      await page.getByTestId('new-key').waitFor()
    },
  },
  { name: 'requests', path: '/requests', isOfScreen: true },
  {
    name: 'requests-details',
    path: '/requests',
    isOfScreen: true,
    async act(page, world) {
      await page.locator(`[data-request="${world.requests[2]!.id}"]`).getByRole('link').click()
      await page.getByRole('dialog').getByText('Prices are micro-dollars').waitFor()
    },
  },
  { name: 'credits', path: '/credits', isOfScreen: true },
  {
    name: 'playground',
    path: '/playground',
    async act(page) {
      await page.getByLabel('Your message').fill('What happens to all my words here?')
      await page.keyboard.press('Enter')
      await page.getByText('Its record').waitFor()
    },
  },
  whole('evidence', '/evidence'),
  {
    name: 'evidence-comparison',
    path: '/evidence',
    async act(page) {
      await page.getByRole('button', { name: 'Compare with the one before' }).click()
      await page.getByText('spec.replicas').waitFor()
    },
  },
  whole('account', '/account'),
  whole('admin-workspaces', '/admin/workspaces'),
  whole('admin-invitations', '/admin/invitations'),
  whole('admin-upstreams', '/admin/upstreams'),
  {
    name: 'admin-upstreams-offer',
    path: '/admin/upstreams',
    isOfScreen: true,
    async act(page) {
      await page.getByRole('button', { name: 'Compare and pin' }).click()
      await page.getByRole('button', { name: 'Approve this deployment' }).waitFor()
    },
  },
  whole('admin-audit', '/admin/audit'),
]
