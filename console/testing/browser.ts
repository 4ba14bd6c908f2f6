import { chromium } from 'playwright-core'
import { findProgram } from '../../tests/needs.ts'

/** Debian's Chromium, without a screen. */
export function openBrowser() {
  const executablePath = findProgram('chromium')
  if (executablePath === undefined) throw new Error('This needs chromium (apt-get install chromium).')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
