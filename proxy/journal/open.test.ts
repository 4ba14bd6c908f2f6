import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { loadProxyConfig } from '../config/proxy.ts'
import { silent } from '../log.ts'
import { firstIdentity } from '../testing/world.ts'
import { openRecords } from './open.ts'
import { journalFile, linesOf } from './testing.ts'

let certificate: string
beforeAll(() => {
  certificate = firstIdentity.pem.slice(firstIdentity.pem.indexOf('-----BEGIN CERTIFICATE'))
})

/** A configuration with these members beside an endpoint. */
function load(members: object) {
  const folder = dirname(journalFile())
  writeFileSync(join(folder, 'root.pem'), certificate)
  const endpoint = {
    name: 'a',
    url: 'https://a.example/v1',
    roots: [{ file: 'root.pem' }],
    pins: [digestOf('a')],
  }
  writeFileSync(join(folder, 'proxy.yaml'), JSON.stringify({ ...members, endpoints: [endpoint] }))
  return { folder, config: loadProxyConfig(join(folder, 'proxy.yaml'), {}) }
}

test('a journal is kept in the data folder, or where the configuration says', () => {
  const usual = load({ dataDir: 'data' })
  expect(usual.config.journal).toBe(join(usual.folder, 'data', 'journal.jsonl'))
  const other = load({ journal: 'elsewhere/proxy.jsonl' })
  expect(other.config.journal).toBe(join(other.folder, 'elsewhere', 'proxy.jsonl'))
})

test('a journal that is not wanted is not kept', async () => {
  const { folder, config } = load({ dataDir: 'data', journal: false })
  expect(config.journal).toBeUndefined()
  await (await openRecords(config, silent)).close()
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test('each start of a proxy is a line, with its version', async () => {
  const { config } = load({ dataDir: 'data' })
  for (let start = 0; start < 2; start += 1) await (await openRecords(config, silent)).close()
  const kinds = linesOf(config.journal!).map((line) => JSON.parse(line))
  expect(kinds).toMatchObject([
    { kind: 'genesis' },
    { kind: 'start', proxy_version: expect.stringMatching(/^\d/) },
    { kind: 'start' },
  ])
})
