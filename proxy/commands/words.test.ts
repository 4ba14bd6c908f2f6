import { afterEach, expect, test, vi } from 'vitest'
import { findReason, seeOf } from './words.ts'

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
