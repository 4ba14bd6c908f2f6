import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configText, type FirstConfig } from './init-file.ts'

const first: FirstConfig = {
  url: 'https://router.example/v1',
  hostname: undefined,
  roots: ['root.pem'],
  leafName: true,
  pin: `sha256:${'0'.repeat(64)}`,
}

test('a first configuration has one endpoint, its root and its one pin', () => {
  expect(parse(configText(first)).endpoints).toEqual([
    {
      name: 'main',
      listen: { port: 8484 },
      url: first.url,
      roots: [{ file: 'root.pem' }],
      pins: [first.pin],
    },
  ])
})

test('whatever stands in a name is one text of YAML', () => {
  const odd = { ...first, hostname: 'a: "b" # c', roots: ["it's }, { here.pem"], leafName: false }
  expect(parse(configText(odd)).endpoints[0]).toMatchObject({
    hostname: odd.hostname,
    roots: [{ file: odd.roots[0], requireLeafName: false }],
  })
})
