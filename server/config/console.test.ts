import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConfigError } from '../../config/error.ts'
import { restartNeededFor } from './changes.ts'
import { loadRouterConfig, type RouterConfig } from './router.ts'
import { versionOf } from './version.ts'

const MAIL = 'mail: { url: "smtp://mail.example:587", from: "Router <router@example.com>" }'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-config-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function load(settings: string): RouterConfig {
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
${settings}`,
  )
  return loadRouterConfig(file, {})
}

function mistakesIn(settings: string): readonly string[] {
  try {
    load(settings)
    return []
  } catch (error) {
    return (error as ConfigError).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
}

test.each([[''], ['console: false']])('there is no console with %j', (settings) => {
  expect(load(settings)).not.toHaveProperty('console')
})

test('the console is reached where the API is, unless it is told otherwise', () => {
  const { console } = load(`publicBaseUrl: "http://router.example:81/v1"\nconsole: { ${MAIL} }`)
  expect(console?.publicUrl).toBe('http://router.example:81')
  expect(load(`console: { publicUrl: "http://console.example", ${MAIL} }`).console).toEqual({
    publicUrl: 'http://console.example',
    administrators: [],
    mail: {
      url: 'smtp://mail.example:587',
      from: 'Router <router@example.com>',
      credentials: undefined,
      requireTls: true,
      caFile: undefined,
    },
  })
})

test('administrators are known in small letters', () => {
  const { console } = load(`console: { administrators: [ "Ada@Example.com" ], ${MAIL} }`)
  expect(console?.administrators).toEqual(['ada@example.com'])
})

test.each([
  ['smtp://mail.example', '', true],
  ['smtp://127.0.0.1:25', '', false],
  ['smtp://127.0.0.1:25', 'startTls: required', true],
  ['smtp://mail.example', 'startTls: optional', false],
])('a mail server at %s with %j has to encrypt: %j', (url, more, requireTls) => {
  const { console } = load(`console: { mail: { url: "${url}", from: a@b.example, ${more} } }`)
  expect(console?.mail?.requireTls).toBe(requireTls)
})

test('a password comes from a file beside the configuration, and so does the authority', () => {
  writeFileSync(join(folder, 'password'), 'hush\n')
  const { console } = load(
    `console: { mail: { url: "smtps://m", from: a@b.c, user: u, password: "\${file:password}", caFile: ca.pem } }`,
  )
  expect(console?.mail).toMatchObject({
    credentials: { user: 'u', password: 'hush' },
    caFile: join(folder, 'ca.pem'),
  })
})

test.each([
  ['console: true', /^console: is either false or its settings/],
  ['console: {}', /^console\.mail: is required/],
  [`console: { ${MAIL}, outbox: {} }`, /^console\.outbox: stands beside mail/],
  ['console: { outbox: { host: 0.0.0.0 } }', /^console\.outbox\.host: is not a loopback address/],
  [
    'console: { publicUrl: "https://c.example", outbox: {} }\nsecretsKey: 0123456789012345678901234567890x',
    /^console\.outbox: is for development/,
  ],
  [`console: { publicUrl: "https://c.example", ${MAIL} }`, /^secretsKey: is required/],
  ['console: { mail: { url: "smtp://m", from: nobody } }', /^console\.mail\.from: is neither/],
  ['console: { mail: { url: "smtp://m", from: a@b.c, user: u } }', /^console\.mail\.password: is required/],
  [
    'console: { mail: { url: "smtp://m", from: a@b.c, user: u, password: p, startTls: optional } }',
    /^console\.mail\.startTls: is optional/,
  ],
])('%s is refused', (settings, message) => {
  expect(mistakesIn(settings)).toEqual([expect.stringMatching(message)])
})

test('a setting that there is not is named', () => {
  expect(mistakesIn(`console: { publicURL: "http://a", ${MAIL} }`)).toEqual([
    expect.stringMatching(/^console\.publicURL: /),
  ])
})

test('other administrators are taken up by a running router, and make another version; another mail server is not', () => {
  const before = load(`console: { administrators: [ a@b.c ], ${MAIL} }`)
  const after = load(`console: { administrators: [ d@b.c ], ${MAIL} }`)
  expect(restartNeededFor(before, after)).toEqual([])
  expect(versionOf(after)).not.toBe(versionOf(before))
  expect(restartNeededFor(before, load('console: { outbox: {} }'))).toEqual(['console'])
  expect(restartNeededFor(before, load('console: false'))).toEqual(['console'])
})
