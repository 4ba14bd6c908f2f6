import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSecretsKey } from './secrets-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'secrets-'))

afterAll(() => rmSync(folder, { recursive: true }))

test('the configured key counts, and no file is made', () => {
  const secretsKey = 'a configured key of 32 characters'
  expect(readSecretsKey({ secretsKey, dataDir: folder }).toString()).toBe(secretsKey)
  expect(readdirSync(folder)).toEqual([])
})

test('without one, a key is made once, for its owner alone', () => {
  const dataDir = join(folder, 'data')
  const made = readSecretsKey({ dataDir })
  expect(made.toString()).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(readSecretsKey({ dataDir }).equals(made)).toBe(true)
  expect(readdirSync(dataDir)).toEqual(['secrets-key'])
  expect(statSync(join(dataDir, 'secrets-key')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(dataDir, 'secrets-key'), 'utf8')).toBe(made.toString())
})

test('a data folder that can keep no key is told with the setting that does without', () => {
  const dataDir = join(folder, 'file')
  writeFileSync(dataDir, '')
  expect(() => readSecretsKey({ dataDir })).toThrow(/^secretsKey is not configured, .* dataDir: /)
})

test.each([
  ['an empty file', ''],
  ['a part of one', 'c2hvcnQ'],
])('%s, as a machine may leave it that loses its power, is no key', (_, text) => {
  const dataDir = mkdtempSync(join(folder, 'torn-'))
  writeFileSync(join(dataDir, 'secrets-key'), text)
  expect(() => readSecretsKey({ dataDir })).toThrow(/secrets-key holds no whole key/)
})
