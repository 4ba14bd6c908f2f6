import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restartNeededFor } from './changes.ts'
import { loadRouterConfig, type RouterConfig } from './router.ts'
import { versionOf } from './version.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-version-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

const KEY = 'k'.repeat(32)
const BACKEND = '{ url: "http://127.0.0.1:1/v1", apiKey: first }'

/** A file with a change in the text of its model, and settings behind it. */
function load(more = '', change: readonly [string, string] = ['', '']): RouterConfig {
  const file = join(folder, 'router.yaml')
  const model = `  - id: a
    contextLength: 8192
    pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }
    endpoint: demo
    backends: [ ${BACKEND} ]
`.replace(...change)
  writeFileSync(file, `endpoints: [ { name: demo, hostname: router.example } ]\nmodels:\n${model}${more}`)
  return loadRouterConfig(file, {})
}

test('a version is short and says nothing of what it was made of', () => {
  expect(versionOf(load())).toMatch(/^[0-9a-f]{12}$/)
})

test.each([
  ['a comment', later('# said again')],
  ['a default that is written out', later('limits: { requestsPerMinute: 600 }')],
  ['a port of its own', later('listen: { port: 9 }')],
  ['a database of its own', later('database: { url: "postgres://127.0.0.1/other" }')],
  ['a folder of its own', later('dataDir: elsewhere')],
])('%s makes no other version', (_, changed) => {
  expect(versionOf(changed())).toBe(versionOf(load()))
})

test.each([
  ['a price', later('', ['promptPer1mMicros: 1', 'promptPer1mMicros: 3'])],
  ['a key of a backend', later('', ['apiKey: first', 'apiKey: second'])],
  ['a backend', later('', [BACKEND, `${BACKEND}, ${BACKEND}`])],
  ['a weight', later('', ['apiKey: first', 'apiKey: first, weight: 2'])],
  ['a limit', later('limits: { requestsPerMinute: 7 }')],
  ['a time', later('timers: { drainMs: 7 }')],
  ['an origin', later('cors: { origins: ["https://a.example"] }')],
  ['a site of the documents', later('docsUrl: "https://docs.example"')],
  ['the key that it is made under', later(`secretsKey: ${KEY}`)],
])('%s makes another version', (_, changed) => {
  expect(versionOf(changed())).not.toBe(versionOf(load()))
})

test.each([
  ['listen', 'listen: { port: 9 }', ['listen', 'publicBaseUrl']],
  ['admin', 'admin: {}', ['admin']],
  ['testControl', 'testControl: {}', ['testControl']],
  ['publicBaseUrl', 'publicBaseUrl: "http://router.example/v1"', ['publicBaseUrl']],
  ['dataDir', 'dataDir: elsewhere', ['dataDir']],
  ['secretsKey', `secretsKey: ${KEY}`, ['secretsKey']],
  [
    'previousSecretsKeys',
    `secretsKey: ${KEY}\npreviousSecretsKeys: ['${'p'.repeat(32)}']`,
    ['secretsKey', 'previousSecretsKeys'],
  ],
  ['database', 'database: { maxConnections: 3 }', ['database']],
  ['redis', 'redis: { fallback: closed }', ['redis']],
  ['limits.maxHeaderBytes', 'limits: { maxHeaderBytes: 9000 }', ['limits.maxHeaderBytes']],
  ['timers.connectMs', 'timers: { connectMs: 9 }', ['timers.connectMs']],
])('%s needs a restart', (_, more, expected) => {
  expect(restartNeededFor(load(), load(more))).toEqual(expected)
})

test('models, endpoints, sizes, budgets and all other times need none', () => {
  const more = `allowOverdraftMicros: 7
limits: { requestsPerMinute: 7, maxBodyBytes: 70000, maxEventBytes: 9000 }
timers: { idleMs: 9, drainMs: 9, evidencePollMs: 9 }
cors: { origins: ["*"] }
trustedProxies: [ 10.0.0.0/8 ]`
  expect(restartNeededFor(load(), load(more, [BACKEND, `${BACKEND}, ${BACKEND}`]))).toEqual([])
})

/** To be read when its turn comes: all of them use one file. */
function later(...args: Parameters<typeof load>): () => RouterConfig {
  return () => load(...args)
}
