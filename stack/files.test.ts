import { closeSync, existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { createIdentity } from '#egress/testing/identity.ts'
import { loadPlatformConfig } from '../platform/config.ts'
import { loadProxyConfig } from '../proxy/config/proxy.ts'
import { loadRouterConfig } from '../server/config/router.ts'
import { openLog, tailOf } from './logs.ts'
import { placesIn } from './places.ts'
import { writePlatformConfig } from './platform-config.ts'
import { writeProxyConfig } from './proxy-config.ts'
import { writeRouterConfig } from './router-config.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stack-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const settings = {
  port: 8080,
  adminPort: 9464,
  outboxPort: 8025,
  platformPort: 8443,
  backendUrl: 'http://127.0.0.1:9000/v1',
}

test('the router accepts the configuration of the demo', () => {
  const places = placesIn(folder)
  writeRouterConfig(places, { ...settings, real: undefined })
  const config = loadRouterConfig(places.routerConfig, { DATABASE_URL: 'postgres://127.0.0.1/x' })
  expect(config).toMatchObject({
    listen: { port: 8080 },
    admin: { host: '127.0.0.1', port: 9464 },
    database: { url: 'postgres://127.0.0.1/x' },
  })
  expect(config.models).toMatchObject([
    {
      id: 'demo/tiny-chat',
      contextLength: 32_768,
      pricing: { promptMicros: 150_000, completionMicros: 600_000 },
      backends: [{ url: 'http://127.0.0.1:9000/v1', model: 'tiny-chat', apiKey: undefined }],
    },
  ])
})

test('the router accepts the configuration of a real backend, and its key stays in the environment', () => {
  const places = placesIn(folder)
  const real = { url: 'http://10.0.0.1:8000/v1', model: 'meta/llama-3.2:3b@q4' }
  writeRouterConfig(places, { ...settings, backendUrl: real.url, real })
  const [model] = loadRouterConfig(places.routerConfig, { BACKEND_KEY: 'sk-backend' }).models
  expect(model).toMatchObject({ id: real.model, backends: [{ model: real.model, apiKey: 'sk-backend' }] })
})

test('without DATABASE_URL the configuration means the database of its folder', () => {
  const places = placesIn(folder)
  writeRouterConfig(places, { ...settings, real: undefined })
  const { database, dataDir } = loadRouterConfig(places.routerConfig, {})
  expect([database.url, dataDir]).toEqual([undefined, folder])
})

test('the router reads its evidence from its platform, and believes what that says of clients', () => {
  const places = placesIn(folder)
  writeRouterConfig(places, { ...settings, real: undefined })
  const { endpoints, trustedProxies } = loadRouterConfig(places.routerConfig, {})
  const url = 'https://127.0.0.1:8443/.well-known/platform-evidence'
  expect(endpoints).toEqual([
    {
      name: 'demo',
      hostname: 'router.localhost',
      evidence: { hostname: 'router.localhost', url, caFile: join(folder, 'platform/root.pem') },
    },
  ])
  expect(trustedProxies).toEqual(['127.0.0.1'])
})

test('the router serves its console to the demo’s owner, whose codes are shown and not sent', () => {
  const places = placesIn(folder)
  writeRouterConfig(places, { ...settings, real: undefined })
  expect(loadRouterConfig(places.routerConfig, {}).console).toEqual({
    publicUrl: 'http://127.0.0.1:8080',
    administrators: ['admin@router.localhost'],
    outbox: { host: '127.0.0.1', port: 8025 },
  })
})

test('the platform accepts its configuration, and stands in front of the router', () => {
  const places = placesIn(folder)
  writePlatformConfig(places, { port: 8443, controlPort: 8444, routerPort: 8080 })
  const { resources, upstream, ...config } = loadPlatformConfig(places.platformConfig, {})
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 8443 },
    control: { host: '127.0.0.1', port: 8444 },
    hostname: 'router.localhost',
    dataDir: join(folder, 'platform'),
  })
  expect(upstream.href).toBe('http://127.0.0.1:8080/')
  expect(resources.length).toBeGreaterThan(0)
})

test('the proxy accepts its configuration: the platform’s address, root and deployment', () => {
  const places = placesIn(folder)
  const { pem, fingerprint } = createIdentity()
  mkdirSync(places.platformDir)
  writeFileSync(places.rootPem, pem)
  const pin = digestOf('snapshot')
  writeProxyConfig(places, { port: 8484, platformPort: 8443, pin })
  const { dataDir, endpoints } = loadProxyConfig(places.proxyConfig, {})
  expect(dataDir).toBe(join(folder, 'proxy'))
  expect(endpoints).toMatchObject([
    {
      listen: { host: '127.0.0.1', port: 8484 },
      target: { hostname: 'router.localhost', host: '127.0.0.1', port: 8443 },
      roots: [{ fingerprint }],
      pins: [pin],
    },
  ])
})

test('a log that has become large is begun anew', () => {
  const first = openLog(folder, 'router')
  closeSync(first.descriptor)
  truncateSync(first.file, 9 * 1024 * 1024)
  closeSync(openLog(folder, 'router').descriptor)
  expect(existsSync(`${first.file}.old`)).toBe(true)
})

test('the end of a log is told in words, each line once', () => {
  const file = join(folder, 'router.log')
  const failing = JSON.stringify({ level: 50, msg: 'it fails', error: { message: 'no reason' } })
  writeFileSync(file, ['plain', failing, failing, JSON.stringify({ msg: 'bye' }), ''].join('\n'))
  expect(tailOf(file)).toEqual(['plain', 'it fails: no reason', 'bye'])
  expect(tailOf(join(folder, 'absent.log'))).toEqual([])
})
