import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import { createIdentity } from '#egress/testing/identity.ts'
import { ConfigError } from '../../config/error.ts'
import { loadProxyConfig, type ProxyConfig } from './proxy.ts'

const identity = createIdentity()
const pin = digestOf('snapshot')
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-config-'))
  writeFileSync(join(folder, 'root.pem'), identity.pem)
  writeFileSync(join(folder, 'two.pem'), `${identity.pem}\n${createIdentity().pem}`)
  writeFileSync(join(folder, 'none.pem'), 'nothing\n')
})

afterAll(() => rmSync(folder, { recursive: true }))

const endpoint = { name: 'main', url: 'https://api.example/v1', roots: [{ file: 'root.pem' }], pins: [pin] }

function load(document: unknown): ProxyConfig {
  const file = join(folder, 'proxy.yaml')
  writeFileSync(file, JSON.stringify(document))
  return loadProxyConfig(file, {})
}

/** The paths that mistakes are told at. */
function mistakesIn(document: unknown): string[] {
  try {
    load(document)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path }) => path)
    throw error
  }
  return []
}

test('a short file is completed', () => {
  expect(load({ endpoints: [endpoint] })).toEqual({
    dataDir: join(folder, '.data/proxy'),
    journal: join(folder, '.data/proxy/journal.jsonl'),
    admin: undefined,
    endpoints: [
      {
        name: 'main',
        listen: { host: '127.0.0.1', port: 8484, origins: [], token: undefined },
        target: { hostname: 'api.example', host: 'api.example', port: 443 },
        basePath: '',
        roots: [expect.objectContaining({ fingerprint: identity.fingerprint, requireLeafName: true })],
        pins: [pin],
        policies: [],
        maxBundleAgeMs: 86_400_000,
      },
    ],
  })
})

test('the hostname may differ from where the connection goes', () => {
  const [configured] = load({
    endpoints: [{ ...endpoint, url: 'https://[::1]:8443/base/v1', hostname: 'Router.localhost' }],
  }).endpoints
  expect(configured).toMatchObject({
    target: { hostname: 'router.localhost', host: '::1', port: 8443 },
    basePath: '/base',
  })
})

test('pins are taken in every notation', () => {
  const hex = toHex(pin).slice('sha256:'.length)
  const pins = [pin, `${pin}=`, `sha256:${hex}`, `sha256/${hex}`, hex.toUpperCase()]
  expect(load({ endpoints: [{ ...endpoint, pins }] }).endpoints[0]?.pins).toEqual(pins.map(() => pin))
})

test('every mistake is told at once, each at its path', () => {
  const document = {
    admin: { host: '0.0.0.0' },
    unknown: true,
    endpoints: [
      {
        name: 'a b',
        url: 'https://api.example/v1?x=1/v1',
        roots: [{ file: 'missing.pem' }, { file: 'two.pem' }, { file: 'none.pem' }],
        pins: ['sha256/short', `${pin.slice(0, -1)}B`, 'nothing'],
        policies: [
          { name: 'p', allow: 'true' },
          { name: 'p', allow: 'true' },
          { name: 'q', allow: 'evidence.' },
          { name: 'r', allow: 'a'.repeat(4_097) },
        ],
        listen: { host: '0.0.0.0', origins: ['*', 'https://app.example/', 'https://app.example'] },
      },
      { ...endpoint, name: 'main', url: 'http://api.example/v1', pins: [] },
      { ...endpoint, name: 'main', listen: { port: 99_999 } },
      { ...endpoint, name: 'third', listen: { socket: 's', host: '::1' }, policies: [{ name: 'p' }] },
    ],
  }
  expect(mistakesIn(document).sort()).toEqual([
    'admin.host',
    'endpoints[0].listen.host',
    'endpoints[0].listen.origins[0]',
    'endpoints[0].listen.origins[1]',
    'endpoints[0].name',
    'endpoints[0].pins[0]',
    'endpoints[0].pins[1]',
    'endpoints[0].pins[2]',
    'endpoints[0].policies[1].name',
    'endpoints[0].policies[2].allow',
    'endpoints[0].policies[3].allow',
    'endpoints[0].roots[0].file',
    'endpoints[0].roots[1].file',
    'endpoints[0].roots[2].file',
    'endpoints[0].url',
    'endpoints[1].pins',
    'endpoints[1].url',
    'endpoints[2].listen.port',
    'endpoints[2].name',
    'endpoints[3].listen.host',
    'endpoints[3].policies[0].allow',
    'unknown',
  ])
})

const guest = {
  tee: 'snp',
  product: 'Genoa',
  measurement: 'ab'.repeat(48),
  minimumTcb: { bootloader: 10, tee: 0, snp: 23, microcode: 84 },
}

test('what is demanded of the hardware that holds a root’s key stands beside the root', () => {
  const roots = [{ file: 'root.pem', attested: { measurements: [guest] } }]
  const [configured] = load({ endpoints: [{ ...endpoint, roots }] }).endpoints
  expect(configured?.roots).toEqual([
    expect.objectContaining({ fingerprint: identity.fingerprint, attested: [guest] }),
  ])
})

test.each([
  ['nothing at all', {}],
  ['no measurement', { measurements: [] }],
  [
    'a part of the firmware that is left out',
    { measurements: [{ ...guest, minimumTcb: { bootloader: 1 } }] },
  ],
  ['a measurement in capitals', { measurements: [{ ...guest, measurement: 'AB'.repeat(48) }] }],
  [
    'the first code of a Genoa',
    { measurements: [{ ...guest, minimumTcb: { ...guest.minimumTcb, fmc: 0 } }] },
  ],
  ['a Turin without its first code', { measurements: [{ ...guest, product: 'Turin' }] }],
  ['MRTD alone', { measurements: [{ tee: 'tdx', mrtd: guest.measurement }] }],
  ['a switch for debugging', { measurements: [{ ...guest, debug: true }] }],
  [
    'a level that is revoked',
    {
      measurements: [
        {
          tee: 'tdx',
          mrtd: guest.measurement,
          rtmr1: guest.measurement,
          rtmr2: guest.measurement,
          tcbStatus: ['Revoked'],
        },
      ],
    },
  ],
  ['vendors of its own', { measurements: [guest], vendors: {} }],
])('%s is no demand of hardware', (_, attested) => {
  const mistakes = mistakesIn({ endpoints: [{ ...endpoint, roots: [{ file: 'root.pem', attested }] }] })
  expect(mistakes.length).toBeGreaterThan(0)
  expect(mistakes.every((path) => path.startsWith('endpoints[0].roots[0].attested'))).toBe(true)
})

test('two endpoints need two addresses', () => {
  const second = { ...endpoint, name: 'second' }
  expect(mistakesIn({ endpoints: [endpoint, second] })).toEqual(['endpoints[1].listen'])
  expect(mistakesIn({ endpoints: [endpoint, { ...second, listen: { port: 8485 } }] })).toEqual([])
})

test('a listener beyond loopback needs both the flag and a token', () => {
  const listening = (listen: object) => mistakesIn({ endpoints: [{ ...endpoint, listen }] })
  expect(listening({ host: '0.0.0.0' })).toEqual(['endpoints[0].listen.host'])
  expect(listening({ host: '0.0.0.0', token: '0123456789abcdef' })).toEqual(['endpoints[0].listen.host'])
  expect(listening({ host: '0.0.0.0', allowRemote: true })).toEqual(['endpoints[0].listen.token'])
  expect(listening({ host: '0.0.0.0', allowRemote: true, token: '0123456789abcdef' })).toEqual([])
})

test.each([
  null,
  [],
  'text',
  { endpoints: 'none' },
  { endpoints: [null, 3] },
  { endpoints: [{ listen: [], pins: {} }] },
])('a file such as %j is a mistake, not a crash', (document) => {
  expect(mistakesIn(document).length).toBeGreaterThan(0)
})

test('policies are compiled, and know their text', () => {
  const policies = [{ name: 'version 2', allow: 'evidence.version == 2' }]
  const [configured] = load({ endpoints: [{ ...endpoint, policies }] }).endpoints
  expect(configured?.policies).toEqual([{ ...policies[0], allows: expect.any(Function) }])
})

test('a Unix socket takes the place of an address, and lies beside the file', () => {
  const [configured] = load({ endpoints: [{ ...endpoint, listen: { socket: 'run/proxy.sock' } }] }).endpoints
  expect(configured?.listen.socket).toBe(join(folder, 'run/proxy.sock'))
})

test('the admin listener is on loopback at a port of its own once it is asked for', () => {
  expect(load({ admin: {}, endpoints: [endpoint] }).admin).toEqual({ host: '127.0.0.1', port: 8485 })
  expect(load({ admin: { port: 0 }, endpoints: [endpoint] }).admin).toEqual({ host: '127.0.0.1', port: 0 })
  expect(mistakesIn({ admin: { port: 8484 }, endpoints: [endpoint] })).toEqual(['admin.port'])
})

test('HTTPS_PROXY is on the way to every endpoint that NO_PROXY does not name', () => {
  const file = join(folder, 'proxy.yaml')
  const near = { ...endpoint, name: 'near', url: 'https://near.example/v1', listen: { port: 0 } }
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint, near] }))
  const environment = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'near.example' }
  const tunnels = loadProxyConfig(file, environment).endpoints.map(({ target }) => target.tunnel)
  expect(tunnels).toEqual([expect.objectContaining({ host: 'proxy.example', port: 3128 }), undefined])
  expect(() => loadProxyConfig(file, { HTTPS_PROXY: 'socks5://proxy.example' })).toThrow(ConfigError)
})

test('a url and a pin of another form are told in words, not as a regular expression', () => {
  const document = { endpoints: [{ ...endpoint, url: 'http://api.example/v1', pins: ['sha256:short'] }] }
  expect(() => load(document)).toThrow(/url: must be an https address that ends in \/v1/)
  expect(() => load(document)).toThrow(/pins\[0\]: must be a digest such as sha256:/)
})
