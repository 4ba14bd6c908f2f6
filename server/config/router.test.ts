import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError } from '../../config/load.ts'
import { loadRouterConfig } from './router.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-config-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function load(changes = ''): ReturnType<typeof loadRouterConfig> {
  const file = join(folder, 'router.yaml')
  writeFileSync(
    file,
    `endpoints: [ { name: demo, hostname: router.example } ]
models:
  - id: a
    contextLength: 8192
    pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }
    endpoint: demo
    backends: [ { url: "http://127.0.0.1:1/v1/" } ]
${changes}`,
  )
  return loadRouterConfig(file, {})
}

test('what is left out has the contract’s defaults', () => {
  const config = load()
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 8080 },
    publicBaseUrl: 'http://127.0.0.1:8080/v1',
    dataDir: join(folder, '.data'),
    allowOverdraftMicros: 0n,
    limits: { maxBodyBytes: 33_554_432 },
    timers: {
      connectMs: 5_000,
      firstByteMs: 600_000,
      idleMs: 120_000,
      pingMs: 15_000,
      stalledClientMs: 60_000,
    },
  })
  expect(config.models[0]).toMatchObject({
    maxOutputTokens: 8_192,
    templateTokens: 1_024,
    capabilities: ['chat'],
    endpoint: { name: 'demo', hostname: 'router.example' },
    backends: [{ url: 'http://127.0.0.1:1/v1', model: 'a', apiKey: undefined, usage: 'final' }],
  })
})

test('contradictions are told all at once, at their paths', () => {
  const model = (id: string, rest: string) =>
    `  - { id: ${id}, contextLength: 8, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, ${rest} }\n`
  const models =
    model('a', 'endpoint: demo, backends: [ { url: "http://x/v1" } ]') +
    model('b', 'endpoint: absent, maxOutputTokens: 9, backends: [ { url: "http://x/v1" } ]')
  const error = attempt(() => load(`${models}publicBaseUrl: http://127.0.0.1:8080/v2`))
  expect(error.problems.map(({ path }) => path)).toEqual([
    'publicBaseUrl',
    'models[1].id',
    'models[2].endpoint',
    'models[2].maxOutputTokens',
  ])
})

function attempt(act: () => unknown): ConfigError {
  try {
    act()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('No mistake was found.')
}
