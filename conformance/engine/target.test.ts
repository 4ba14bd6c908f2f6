import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError } from '../../config/error.ts'
import { loadTarget } from './target.ts'

const folder = mkdtempSync(join(tmpdir(), 'target-'))
const file = join(folder, 'target.yaml')

afterAll(() => rmSync(folder, { recursive: true }))

function load(text: string, environment = {}) {
  writeFileSync(file, text)
  return loadTarget(file, environment)
}

const least = `
product: { name: example }
profiles: [router]
baseUrl: https://api.example/v1
models: { chat: a/model }
`

test('the least target file is judged by the given rules and by the limits of production', () => {
  expect(load(least)).toMatchObject({
    claims: ['given'],
    mayGenerate: false,
    slack: 1,
    hooks: {},
    keys: {},
    limits: { pingMs: 15_000, maxBodyBytes: 33_554_432, idleMs: 120_000, templateTokens: 1_024 },
  })
})

test('secrets come from the environment', () => {
  const { keys } = load(`${least}keys: { active: "\${KEY}" }`, { KEY: 'sk-tee-v1-x' })
  expect(keys.active).toBe('sk-tee-v1-x')
})

test('every mistake is told at once, at its path', () => {
  const broken = `
product: { name: example }
profiles: [proxy, platform, gateway]
baseUrl: https://api.example
models: { chat: a/model, biggest: b }
hooks: { books: {}, createKey: { url: http://x, command: [y] }, dance: { url: http://x } }
`
  const error = (() => {
    try {
      return load(broken)
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as ConfigError).problems.map(({ path }) => path).toSorted()).toEqual([
    'baseUrl',
    'hooks.books',
    'hooks.createKey',
    'hooks.dance',
    'models.biggest',
    'platformUrl',
    'profiles[2]',
    'proxyUrl',
  ])
})

test('headers that a gateway wants are text', () => {
  expect(load(`${least}headers: { x-provider: openai }`).headers).toEqual({ 'x-provider': 'openai' })
  expect(() => load(`${least}headers: { x-count: 1 }`)).toThrow(/headers\.x-count/)
})

test('a failure is announced until the day that it names, and not after it', () => {
  writeFileSync(
    file,
    `${least}expectedFailures: [{ scenario: models/slash, reason: known, until: 2026-03-01 }, { scenario: universal, check: ERR-03, reason: open }]`,
  )
  const announcedAt = (now: string) =>
    loadTarget(file, {}, new Date(now)).expectedFailures.map(({ scenario }) => scenario)
  expect(announcedAt('2026-03-01T23:59:59Z')).toEqual(['models/slash', 'universal'])
  expect(announcedAt('2026-03-02T00:00:00Z')).toEqual(['universal'])
  expect(loadTarget(file, {}, new Date('2026-03-02T00:00:00Z')).overdue).toMatchObject([
    { scenario: 'models/slash', until: '2026-03-01' },
  ])
})

test('a failure of a scenario that there is not is no announcement', () => {
  expect(() => load(`${least}expectedFailures: [{ scenario: models/lits, reason: known }]`)).toThrow(
    /expectedFailures\[0\]\.scenario.*models\/lits.*no such scenario/,
  )
})

test.each([
  ['until: soon', /expectedFailures\[0\]\.until: is no day/],
  ['until: 2027-02-31', /expectedFailures\[0\]\.until: is no day/],
  ['check: ERR-99', /expectedFailures\[0\]\.check: names ERR-99, and there is no such rule/],
])('a failure is announced by a rule that there is, and until a day that comes: not %s', (wrong, told) => {
  const announced = (more: string) =>
    `${least}expectedFailures: [{ scenario: models/slash, reason: known, ${more} }]`
  expect(() => load(announced(wrong))).toThrow(told)
  expect(load(announced('until: 9999-12-31, check: ERR-03')).expectedFailures).toHaveLength(1)
})

test('what every exchange is held to is announced by its rule', () => {
  const universal = `${least}expectedFailures: [{ scenario: universal, reason: known }]`
  expect(() => load(universal)).toThrow(/expectedFailures\[0\]\.check: is missing/)
})

test.each(['http://127.0.0.1:71000/v1', 'http://no such host/v1', 'http://[::1/v1'])(
  'an address that nobody can have is a mistake, and no router that is away: %s',
  (address) => {
    const hooks = `hooks: { createKey: { url: "${address}" } }`
    expect(() => load(`${least.replace('https://api.example/v1', address)}${hooks}`)).toThrow(
      /baseUrl: is no address[\s\S]*hooks\.createKey\.url: is no address/,
    )
  },
)

test('an address holds no password, which would stand in every report, nor is it quoted', () => {
  const told = (() => {
    try {
      return load(least.replace('https://', 'https://somebody:a-password@')).baseUrl
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(told).toMatch(/baseUrl: must hold no name and no password/)
  expect(told).not.toContain('a-password')
})

test.each([`"x y": a`, `x: "a\\nb"`])('a header that cannot be sent is a mistake: %s', (header) => {
  expect(() => load(`${least}headers: { ${header} }`)).toThrow(/headers\.x.*: cannot be sent as a header/)
})

test('a role is judged once', () => {
  expect(() => load(least.replace('[router]', '[router, router]'))).toThrow(/profiles: names one twice/)
})

test.each([
  ['is missing', 'nowhere.pem', /caFile: cannot be read \(ENOENT/],
  ['holds no certificate', 'target.yaml', /caFile: cannot be read/],
])('a file of certificates that %s is a mistake of the target file', (_, caFile, told) => {
  expect(() => load(`${least}caFile: ${caFile}`)).toThrow(told)
  expect(() => load(`${least}caFile: ${caFile}`)).toThrow(ConfigError)
})
