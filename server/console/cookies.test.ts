import { expect, test } from 'vitest'
import { readCookie, writeCookie } from './cookies.ts'
import { createDigests } from './digests.ts'

const digests = createDigests(() => Buffer.alloc(32, 7))

const make = digests.createToken
const [own, planted] = [make('session'), make('session')]

function received(cookie: string) {
  return { headers: { cookie } }
}

test.each(['session', 'browser'] as const)('a cookie of a %s is read as it was set', (kind) => {
  for (const isHttps of [true, false]) {
    const token = make(kind)
    const [pair = ''] = writeCookie(kind, token, isHttps).split(';')
    expect(readCookie(received(`other=1; ${pair}`), kind, isHttps, digests)).toBe(token)
  }
})

test('where there is TLS, no cookie counts that a neighbouring host or a page without TLS could have set', () => {
  const written = writeCookie('session', own, true)
  expect(written.split('; ')).toEqual(
    expect.arrayContaining([`__Host-console_session=${own}`, 'Path=/', 'Secure']),
  )
  expect(written).not.toMatch(/domain/i)
  const tossed = `console_session=${planted}; __host-console_session=${planted}`
  expect(readCookie(received(tossed), 'session', true, digests)).toBeUndefined()
  expect(readCookie(received(`${tossed}; __Host-console_session=${own}`), 'session', true, digests)).toBe(own)
})

test('without TLS they go to the console’s API alone', () => {
  const written = writeCookie('browser', own, false).split('; ')
  expect(written).toEqual(expect.arrayContaining([`console_browser=${own}`, 'Path=/console/api']))
  expect(written).not.toContain('Secure')
})
