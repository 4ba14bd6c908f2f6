import { afterEach, expect, test, vi } from 'vitest'
import type { HardwareOutput } from '#contract/models'
import { findReason, hardwareLines, seeOf } from './words.ts'

afterEach(() => vi.unstubAllEnvs())

const entry = findReason('tls-fingerprint', 'leaf_mismatch')!

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['a path', '/srv/docs'],
  ['a script', 'javascript:alert(1)'],
])('with %s in place of a site, a reason is explained in this repository', (_, site) => {
  vi.stubEnv('PROXY_DOCS', site)
  expect(seeOf(entry)).toBe('generated/reasons.md#tls-fingerprint-leaf_mismatch')
})

test.each(['https://docs.example/proxy', 'https://docs.example/proxy/'])(
  'below the address of a site, %s, a reason has its page',
  (site) => {
    vi.stubEnv('PROXY_DOCS', site)
    expect(seeOf(entry)).toBe('https://docs.example/proxy/reasons/tls-fingerprint/leaf_mismatch.html')
  },
)

test('every advisory about a TCB is shown, and what would move the cursor is spelled', () => {
  const advisories = Array.from({ length: 40 }, (_, index) => `INTEL-SA-${String(index).padStart(5, '0')}`)
  const hardware: HardwareOutput = {
    format: 'intel-tdx-quote-v4',
    product: 'TDX',
    tcb: { status: 'OutOfDate', parts: null, advisories: [...advisories, '\u001b[2K'] },
    measurements: {},
    vmpl: null,
    endorsement: 'pck',
    endorsed_until: '2031-01-01T00:00:00.000Z',
    collateral_until: '2026-07-01T00:00:00.000Z',
    chip_id_hash: null,
  }
  expect(hardwareLines(hardware, 11)).toContain(`  advisories   ${advisories.join(', ')}, \\u001b[2K`)
})
