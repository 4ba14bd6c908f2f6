import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError } from '../../config/error.ts'
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
    backends: [
      {
        url: 'http://127.0.0.1:1/v1',
        model: 'a',
        apiKey: undefined,
        usage: 'final',
        tokenizeUrl: undefined,
      },
    ],
  })
})

test('health and metrics are served nowhere unless told where, and then on loopback', () => {
  expect(load()).not.toHaveProperty('admin')
  expect(load('admin: {}').admin).toEqual({ host: '127.0.0.1', port: 9464 })
  expect(load('admin: { host: 0.0.0.0, port: 9000 }').admin).toEqual({ host: '0.0.0.0', port: 9000 })
})

test('a router that stops takes no new connections at once, unless it is to wait for load balancers', () => {
  expect(load().timers).toMatchObject({ notReadyMs: 0, drainMs: 30_000 })
  expect(load('timers: { notReadyMs: 5000 }').timers).toMatchObject({ notReadyMs: 5_000, drainMs: 30_000 })
})

test('the rate limits are production’s, and each router counts on its own, unless told otherwise', () => {
  expect(load()).toMatchObject({
    redis: { url: undefined, fallback: 'memory' },
    limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000 },
  })
  const changes = `redis: { url: "redis://:secret@10.0.0.5:6379/1", fallback: closed }
limits: { requestsPerMinute: 7, tokensPerMinute: 5000000000 }`
  expect(load(changes)).toMatchObject({
    redis: { url: 'redis://:secret@10.0.0.5:6379/1', fallback: 'closed' },
    limits: { requestsPerMinute: 7, tokensPerMinute: 5_000_000_000 },
  })
  expect(load(`redis: { url: "\${REDIS_URL:-}" }`).redis.url).toBeUndefined()
})

test.each([
  ['', undefined],
  ['https://docs.example', 'https://docs.example'],
  ['http://127.0.0.1:8000/router/', 'http://127.0.0.1:8000/router'],
])('errors lead to the site at %j', (site, docsUrl) => {
  expect(load(`docsUrl: "${site}"`).docsUrl).toBe(docsUrl)
})

test.each([
  'ftp://docs.example',
  'docs.example',
  'https://docs.example/>; rel=next',
  'https://docs.example/?a',
  'https://ada@docs.example',
  'https://docs.example:port',
])('%s is no site, and the setting is named', (site) => {
  const { problems } = attempt(() => load(`docsUrl: "${site}"`))
  expect(problems.map(({ path }) => path)).toEqual(['docsUrl'])
})

test('a store that is no Redis, and a fallback that there is not, are mistakes', () => {
  const error = attempt(() => load('redis: { url: "http://10.0.0.5", fallback: guess }'))
  expect(error.problems.map(({ path }) => path)).toEqual(['redis.url', 'redis.fallback'])
  const unread = attempt(() => load('redis: { url: "redis://host:port" }'))
  expect(unread.problems).toEqual([{ path: 'redis.url', message: 'is not a URL' }])
})

test('contradictions are told all at once, at their paths', () => {
  const model = (id: string, rest: string) =>
    `  - { id: ${id}, contextLength: 8, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, ${rest} }\n`
  const models =
    model('a', 'endpoint: demo, backends: [ { url: "http://x/v1" } ]') +
    model(
      'b',
      'endpoint: absent, maxOutputTokens: 9, backends: [ { url: "http://x/v1", tokenizeUrl: "http://:/" } ]',
    )
  const error = attempt(() => load(`${models}publicBaseUrl: http://127.0.0.1:8080/v2`))
  expect(error.problems.map(({ path }) => path)).toEqual([
    'publicBaseUrl',
    'models[1].id',
    'models[2].endpoint',
    'models[2].maxOutputTokens',
    'models[2].backends[0].tokenizeUrl',
  ])
})

test('a fallback has to be another model of the file that can do as much', () => {
  const model = (id: string, rest: string) =>
    `  - { id: ${id}, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, endpoint: demo, backends: [ { url: "http://x/v1" } ], ${rest} }\n`
  const others =
    model('wide', 'contextLength: 80, capabilities: [chat, completions]') +
    model('narrow', 'contextLength: 8, capabilities: [chat, completions]') +
    model('mute', 'contextLength: 80, capabilities: [embeddings]')
  const first = (fallbacks: string) =>
    model('first', `contextLength: 40, capabilities: [chat, completions], fallbacks: [${fallbacks}]`)
  const { problems } = attempt(() => load(first('first, absent, narrow, mute') + others))
  expect(problems.map(({ path, message }) => [path.slice(-12), message])).toEqual([
    ['fallbacks[0]', 'is the model itself'],
    ['fallbacks[1]', 'no model has the id absent'],
    ['fallbacks[2]', 'has a smaller contextLength'],
    ['fallbacks[3]', 'has not the capability chat, completions'],
  ])
  expect(load(first('wide') + others).models.find(({ id }) => id === 'first')?.fallbacks).toEqual(['wide'])
})

const outside = (rest: string) =>
  `  - { id: v, contextLength: 8, pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }, ${rest} }\n`

test('a model of an external upstream names it, and how it is called there', () => {
  const { models } = load(outside('endpoint: vendor, upstream: { model: large, usage: continuous }'))
  expect(models.at(-1)).toMatchObject({ upstream: { name: 'vendor', model: 'large', usage: 'continuous' } })
  const [plain] = load(outside('endpoint: vendor, upstream: {}')).models.slice(-1)
  expect(plain).toMatchObject({ upstream: { name: 'vendor', model: 'v', usage: 'final' } })
})

test.each([
  ['endpoint: demo, upstream: {}', 'models[1].upstream'],
  ['endpoint: demo', 'models[1].backends'],
  ['endpoint: vendor', 'models[1].endpoint'],
  ['endpoint: vendor, upstream: {}, backends: [ { url: "http://x/v1" } ]', 'models[1].backends'],
])('%s is a mistake: a model is either an own endpoint’s or an upstream’s', (rest, path) => {
  expect(attempt(() => load(outside(rest))).problems.map((problem) => problem.path)).toEqual([path])
})

test('a router that strangers reach has to be told its secretsKey, one for development makes its own', () => {
  const error = attempt(() => load('publicBaseUrl: https://inference.example/v1'))
  expect(error.problems.map(({ path }) => path)).toEqual(['secretsKey'])
  const told = `publicBaseUrl: https://inference.example/v1\nsecretsKey: ${'k'.repeat(32)}`
  expect(load(told).secretsKey).toBe('k'.repeat(32))
  expect(load('publicBaseUrl: https://router.localhost:8443/v1').secretsKey).toBeUndefined()
  expect(load('publicBaseUrl: http://127.0.0.1:8080/v1').secretsKey).toBeUndefined()
})

test('previous keys stand behind a secretsKey that has taken their place', () => {
  const [old, fresh] = ['o'.repeat(32), 'n'.repeat(32)]
  expect(load(`secretsKey: ${fresh}`).previousSecretsKeys).toEqual([])
  expect(load(`secretsKey: ${fresh}\npreviousSecretsKeys: [${old}]`).previousSecretsKeys).toEqual([old])
  for (const wrong of [
    `previousSecretsKeys: [${old}]`,
    `secretsKey: ${fresh}\npreviousSecretsKeys: [${old}, ${fresh}]`,
    `secretsKey: ${fresh}\npreviousSecretsKeys: [short]`,
  ]) {
    const [problem] = attempt(() => load(wrong)).problems
    expect(problem?.path).toMatch(/^previousSecretsKeys/)
  }
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

test('traces are sent nowhere unless an address is given, and a tenth of the requests is recorded', () => {
  expect(load('').traces).toBeUndefined()
  const url = 'http://10.0.0.9:4318/v1/traces'
  expect(load(`traces: { url: "${url}" }`).traces).toEqual({ url, ratio: 0.1, authorization: undefined })
  expect(load(`traces: { url: "${url}", ratio: 0, authorization: "Bearer x" }`).traces).toEqual({
    url,
    ratio: 0,
    authorization: 'Bearer x',
  })
  const error = attempt(() => load('traces: { url: "ftp://10.0.0.9", ratio: 2 }'))
  expect(error.problems.map(({ path }) => path)).toEqual(['traces.url', 'traces.ratio'])
  const unread = attempt(() => load('traces: { url: "http://host:port" }'))
  expect(unread.problems).toEqual([{ path: 'traces.url', message: 'is not a URL' }])
})
