import { expect, test } from 'vitest'
import { cookiesIn } from './browser.ts'

test('several cookies of one answer are told apart, and a comma in a date parts none', () => {
  const header =
    'a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly, console_session=x=y; SameSite=Lax, gone=; Max-Age=0'
  expect(cookiesIn(header)).toEqual([
    { name: 'a', value: '1', attributes: ['path=/', 'expires=wed, 21 oct 2026 07:28:00 gmt', 'httponly'] },
    { name: 'console_session', value: 'x=y', attributes: ['samesite=lax'] },
    { name: 'gone', value: '', attributes: ['max-age=0'] },
  ])
  expect(cookiesIn('')).toEqual([])
  expect(cookiesIn('nonsense')).toEqual([])
})
