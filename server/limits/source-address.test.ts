import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createSourceAddress, isNetwork } from './source-address.ts'

function sourceOf(peer: string, forwarded?: string): string {
  const sourceAddressOf = createSourceAddress(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return sourceAddressOf({ headers, socket: { remoteAddress: peer } as Socket })
}

test.each([
  ['the peer, when nobody is between', '203.0.113.7', undefined, '203.0.113.7'],
  ['the peer, when it is not trusted to tell', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['the last hop that a trusted peer names', '127.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
  ['the last hop behind a trusted network', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['the peer, when the last hop is no address', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['an IPv4 peer on a dual-stack socket', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the /64 of an IPv6 source', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['the /64, however it is spelt', 'fd00::1', '2001:0db8::5', '2001:db8:0:0::/64'],
])('%s is the source', (_, peer, forwarded, source) => {
  expect(sourceOf(peer, forwarded)).toBe(source)
})

test.each([
  ['10.0.0.0/8', true],
  ['::1', true],
  ['10.0.0.0/33', false],
  ['router.example', false],
  ['', false],
])('%j is a network: %s', (entry, expected) => {
  expect(isNetwork(entry)).toBe(expected)
})
