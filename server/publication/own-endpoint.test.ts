import { expect, test } from 'vitest'
import { createOwnEndpoints } from './own-endpoint.ts'

const endpoint = (name: string, hostname: string) => ({
  name,
  hostname,
  evidence: { hostname, url: `https://${hostname}/`, caFile: undefined },
})
const a = endpoint('a', 'a.example')
const b = endpoint('b', 'b.example')

test.each([
  ['the one with the public host', [a, b], 'https://b.example/v1', b],
  ['the only one there is', [a], 'https://elsewhere.example/v1', a],
  ['nobody knows', [a, b], 'https://elsewhere.example/v1', undefined],
])('the main endpoint is %s', (_, endpoints, publicBaseUrl, expected) => {
  expect(createOwnEndpoints(endpoints, publicBaseUrl).main).toBe(expected)
})

test('an endpoint is found by its name first, then by its hostname', () => {
  const shadow = endpoint('a.example', 'c.example')
  const { find } = createOwnEndpoints([a, shadow], 'https://x.example/v1')
  expect([find('a'), find('a.example'), find('c.example'), find('absent')]).toEqual([
    a,
    shadow,
    shadow,
    undefined,
  ])
})
