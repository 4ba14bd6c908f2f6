import { closeSync, existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadRouterConfig } from '../server/config/router.ts'
import { openLog, tailOf } from './logs.ts'
import { placesIn } from './places.ts'
import { writeRouterConfig } from './router-config.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stack-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const settings = { port: 8080, backendUrl: 'http://127.0.0.1:9000/v1' }

test('the router accepts the configuration of the demo', () => {
  const places = placesIn(folder)
  writeRouterConfig(places, { ...settings, real: undefined })
  const config = loadRouterConfig(places.routerConfig, { DATABASE_URL: 'postgres://127.0.0.1/x' })
  expect(config).toMatchObject({ listen: { port: 8080 }, database: { url: 'postgres://127.0.0.1/x' } })
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
  writeRouterConfig(places, { port: 1, backendUrl: real.url, real })
  const [model] = loadRouterConfig(places.routerConfig, { BACKEND_KEY: 'sk-backend' }).models
  expect(model).toMatchObject({ id: real.model, backends: [{ model: real.model, apiKey: 'sk-backend' }] })
})

test('without DATABASE_URL the configuration means the database of its folder', () => {
  const places = placesIn(folder)
  writeRouterConfig(places, { ...settings, real: undefined })
  const { database, dataDir } = loadRouterConfig(places.routerConfig, {})
  expect([database.url, dataDir]).toEqual([undefined, folder])
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
