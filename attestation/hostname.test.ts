import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { coversHostname, equalHostnames } from './hostname.ts'
import { makeChain } from './testing/chains.ts'
import { alternativeNames } from './testing/extensions.ts'

const pairs: readonly (readonly [name: string, hostname: string, covered: boolean])[] = [
  ['a.example.com', 'a.example.com', true],
  ['A.Example.COM', 'a.example.com', true],
  ['a.example.com', 'b.example.com', false],
  ['a.example.com', 'a.example.com.evil', false],
  ['example.com', 'a.example.com', false],
  ['*.example.com', 'a.example.com', true],
  ['*.Example.com', 'A.example.COM', true],
  ['*.example.com', 'a.b.example.com', false],
  ['*.example.com', 'example.com', false],
  ['*.com', 'example.com', false],
  ['*', 'com', false],
  ['a*.example.com', 'ab.example.com', false],
  ['a.*.com', 'a.example.com', false],
  ['*.*.com', 'a.example.com', false],
  ['**.example.com', 'a.example.com', false],
]

test.each(pairs)('%s covers %s: %s', (name, hostname, covered) => {
  expect(coversHostname(name, hostname)).toBe(covered)
})

test.each(pairs)('OpenSSL agrees on %s and %s: %s', (name, hostname, covered) => {
  const [leaf = Buffer.alloc(0)] = makeChain({
    leaf: { extensions: [alternativeNames(['dns', name])] },
  }).certificates
  const found = new X509Certificate(leaf).checkHost(hostname, { subject: 'never', partialWildcards: false })
  expect(found !== undefined).toBe(covered)
})

test('a wildcard does not stand for an empty label', () => {
  expect(coversHostname('*.example.com', '.example.com')).toBe(false)
})

test('letter case does not make another hostname', () => {
  expect(equalHostnames('Router.Example', 'router.example')).toBe(true)
  expect(equalHostnames('router.example', 'router.example.')).toBe(false)
  expect(equalHostnames('\u212Aoala.example', 'koala.example')).toBe(false)
})
