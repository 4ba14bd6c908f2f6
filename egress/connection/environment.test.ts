import { expect, test } from 'vitest'
import { findTunnel } from './environment.ts'

const HTTPS_PROXY = 'http://proxy.example:3128'
const end = { host: 'api.example.com', port: 8443 }

test.each([
  [{ HTTPS_PROXY }, { host: 'proxy.example', port: 3128, authorization: undefined }],
  [{ https_proxy: HTTPS_PROXY, HTTPS_PROXY: 'http://other:1' }, expect.objectContaining({ port: 3128 })],
  [{ HTTPS_PROXY: 'http://proxy.example' }, expect.objectContaining({ port: 80 })],
  [{ HTTPS_PROXY: 'http://[::1]:3128' }, expect.objectContaining({ host: '::1' })],
  [
    { HTTPS_PROXY: 'http://u:p@proxy.example:3128' },
    expect.objectContaining({ authorization: `Basic ${btoa('u:p')}` }),
  ],
  [{}, undefined],
  [{ HTTPS_PROXY: '' }, undefined],
  [{ HTTP_PROXY: HTTPS_PROXY }, undefined],
])('%j names the proxy %j', (environment, expected) => {
  expect(findTunnel(environment, end)).toEqual(expected)
})

test.each([
  ['api.example.com', true],
  ['API.Example.com', true],
  ['example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['*', true],
  ['other, example.com:8443', true],
  ['example.com:443', false],
  ['ample.com', false],
  ['api.example.com.evil', false],
  ['', false],
])('NO_PROXY=%s leaves a name out: %j', (NO_PROXY, isLeftOut) => {
  expect(findTunnel({ HTTPS_PROXY, NO_PROXY }, end) === undefined).toBe(isLeftOut)
})

test.each([
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['2.3', '10.1.2.3', false],
  ['fd00::/8', 'fd00::1', true],
  ['fd00::/8', '10.1.2.3', false],
  ['10.0.0.0/99', '10.1.2.3', false],
  ['[fd00::1]:8443', 'fd00::1', true],
])('NO_PROXY=%s leaves the address %s out: %j', (NO_PROXY, host, isLeftOut) => {
  expect(findTunnel({ HTTPS_PROXY, NO_PROXY }, { host, port: 8443 }) === undefined).toBe(isLeftOut)
})

test.each(['localhost', 'router.localhost', '127.0.0.1', '127.8.8.8', '::1'])(
  'this machine, as %s, is reached without a proxy',
  (host) => {
    expect(findTunnel({ HTTPS_PROXY }, { host, port: 8443 })).toBeUndefined()
  },
)

test.each(['proxy.example:3128', 'socks5://proxy.example', 'https://proxy.example', '//proxy.example'])(
  'HTTPS_PROXY=%s is a mistake and not passed by, and its credentials are not repeated',
  (named) => {
    const secret = named.replace('://', '://user:canary@')
    expect(() => findTunnel({ HTTPS_PROXY: secret }, end)).toThrow(/^HTTPS_PROXY must be((?!canary).)*$/)
  },
)
