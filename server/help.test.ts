import { expect, test } from 'vitest'
import type { Refused } from './errors.ts'
import { createHelp, noHelp } from './help.ts'

const help = createHelp(() => 'https://docs.example/router')

test.each<[string, Refused | undefined, string]>([
  ['no reason', undefined, ''],
  [
    'a reason of the proxy’s',
    { stage: 'jws', reason: 'bundle_stale' },
    ', <https://docs.example/router/reasons/jws/bundle_stale.html>; rel="help"',
  ],
  [
    'a reason of an upstream’s',
    { stage: 'upstream-policy', reason: 'no_pins' },
    ', <https://docs.example/router/reasons/policy/no_pins.html>; rel="help"',
  ],
])('an error with %s names the page of its code, and of the reason (HDR-16)', (_, verdict, more) => {
  const page = '<https://docs.example/router/errors/attestation_failed.html>; rel="help"'
  expect(help({ code: 'attestation_failed', verdict })).toEqual({ Link: `${page}${more}` })
})

test('where no site is named, an error says nothing of one (HDR-16)', () => {
  expect(createHelp(() => undefined)({ code: 'internal', verdict: undefined })).toEqual({})
  expect(noHelp({ code: 'internal', verdict: undefined })).toEqual({})
})

test('another site is named from the next error on', () => {
  let site = 'https://a.example'
  const changing = createHelp(() => site)
  site = 'https://b.example'
  expect(changing({ code: 'internal', verdict: undefined }).Link).toContain('https://b.example/errors/')
})
