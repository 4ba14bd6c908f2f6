import { expect, test } from 'vitest'
import { RawHeaders } from '../raw-headers.ts'
import * as headers from './headers.ts'

const requestHeaders = (pairs: string[], authority: string) =>
  headers.requestHeaders(new RawHeaders(pairs), authority)
const responseHeaders = (pairs: string[]) => headers.responseHeaders(new RawHeaders(pairs))

test('names and values keep their spelling and their order, duplicates included', () => {
  const pairs = ['ACCEPT', '*/*', 'x-A', '1', 'X-a', '2', 'Host', 'me', 'authorization', 'Bearer k']
  expect(requestHeaders(pairs, 'api.example')).toEqual([
    ...['ACCEPT', '*/*', 'x-A', '1', 'X-a', '2', 'authorization', 'Bearer k', 'Host', 'api.example'],
  ])
})

test.each([
  'Connection',
  'Keep-Alive',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'Proxy-Connection',
  'Expect',
])('%s ends with the connection', (name) => {
  expect(requestHeaders([name, 'x'], 'a')).toEqual(['Host', 'a'])
})

test.each([
  ['the second', ['Connection', 'keep-alive', 'Connection', 'X-One']],
  ['the first', ['connection', 'X-One', 'Connection', 'close']],
])('so does what %s of two Connections names', (_, connections) => {
  const pairs = [...connections, 'X-One', '1', 'X-Two', '2']
  expect(requestHeaders(pairs, 'a')).toEqual(['X-Two', '2', 'Host', 'a'])
  expect(responseHeaders(pairs)).toEqual(['X-Two', '2', 'X-Proxy-Verdict', 'allow'])
})

test('so does what Connection names', () => {
  expect(requestHeaders(['Connection', 'close, X-One ,x-two', 'x-one', '1', 'X-Two', '2'], 'a')).toEqual([
    'Host',
    'a',
  ])
})

test('where a router says that help is passes through as it came', () => {
  const link = ['Link', '<https://docs.example/errors/internal.html>; rel="help"']
  expect(responseHeaders(link)).toEqual([...link, 'X-Proxy-Verdict', 'allow'])
})

test('only the upstream’s own verdict is replaced in an answer', () => {
  const pairs = [
    'x-proxy-verdict',
    'deny',
    'X-PROXY-VERDICT',
    'deny',
    'X-Proxy-Other',
    'kept',
    'Date',
    'then',
  ]
  expect(responseHeaders(pairs)).toEqual([
    'X-Proxy-Other',
    'kept',
    'Date',
    'then',
    'X-Proxy-Verdict',
    'allow',
  ])
})
