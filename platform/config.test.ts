import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '../config/error.ts'
import { loadPlatformConfig, type PlatformConfig } from './config.ts'
import { temporaryFolder } from './test-support.ts'

const LEAST = 'hostname: router.test\nupstream: http://127.0.0.1:8080\n'

test('Everything that can be left out has a default', () => {
  const config = load(`${LEAST}resources: [{ kind: Service }]`)
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 8443 },
    control: undefined,
    resignIntervalMs: 180_000,
    algorithm: 'ES256',
    hardware: 'Intel TDX (QEMU)',
    simulateTee: undefined,
    resources: [{ kind: 'Service' }],
  })
  expect(config.dataDir).toMatch(/\/\.data\/platform$/)
})

test('A folder and resources beside it are one deployment; paths begin at the file', () => {
  const folder = join(import.meta.dirname, 'demo-deployment')
  const { resources, deployment } = load(`${LEAST}deployment: ${folder}\nresources: [{ kind: Ingress }]`)
  expect(resources).toHaveLength(4)
  expect(deployment.folder).toBe(folder)
})

test('Every mistake is told at once with its path', () => {
  const text = `
hostname: 127.0.0.1
upstream: http://a b
control: { host: 0.0.0.0 }
deployment: nowhere
resources: [{ containers: [{ image: router }] }]
`
  expect(problemsOf(text)).toEqual([
    'upstream',
    'hostname',
    'control.host',
    expect.stringMatching(/nowhere$/),
    'resources[0]',
  ])
})

test.each([
  ['neither folder nor resources', LEAST, 'deployment'],
  ['an unknown key', `${LEAST}resources: []\ncolour: blue`, 'colour'],
  ['an unknown algorithm', `${LEAST}resources: []\nalgorithm: HS256`, 'algorithm'],
  ['unknown hardware', `${LEAST}resources: []\ntee: none`, 'tee'],
  ['hardware that nobody plays', `${LEAST}resources: []\nsimulateTee: sgx`, 'simulateTee'],
  ['a vendor of hardware', `${LEAST}resources: []\nvendors: []`, 'vendors'],
  ['a router with a path', 'hostname: a\nupstream: http://127.0.0.1/v1\nresources: []', 'upstream'],
  ['a hostname in capitals', 'hostname: A\nupstream: http://127.0.0.1\nresources: []', 'hostname'],
])('%s is refused', (_, text, path) => {
  expect(problemsOf(text)).toEqual([path])
})

test.each([
  ['snp', 'AMD SEV-SNP (QEMU)'],
  ['tdx', 'Intel TDX (QEMU)'],
])('With %s played, the root names it unless the file says otherwise', (simulateTee, hardware) => {
  const played = `${LEAST}resources: []\nsimulateTee: ${simulateTee}`
  expect(load(played)).toMatchObject({ simulateTee, hardware })
  expect(load(`${played}\ntee: Intel TDX (GCP)`)).toMatchObject({ hardware: 'Intel TDX (GCP)' })
})

test.each(['127.0.0.1', '127.8.8.8', '"::1"', 'localhost'])('The control address may be %s', (host) => {
  const { control } = load(`${LEAST}resources: []\ncontrol: { host: ${host} }`)
  expect(control).toEqual({ host: host.replaceAll('"', ''), port: 8444 })
})

test.each(['0.0.0.0', '"::"', '192.168.0.1', 'router.test'])('The control address may not be %s', (host) => {
  expect(problemsOf(`${LEAST}resources: []\ncontrol: { host: ${host} }`)).toEqual(['control.host'])
})

function load(text: string): PlatformConfig {
  const file = join(temporaryFolder(), 'platform.yaml')
  writeFileSync(file, text)
  return loadPlatformConfig(file, {})
}

function problemsOf(text: string): string[] {
  try {
    load(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path }) => path)
  }
  return []
}
