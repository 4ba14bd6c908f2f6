import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { openEvidence } from './evidence.ts'
import { journalFile } from './testing.ts'

const DAY = 24 * 3_600_000
const folderFor = () => join(journalFile(), '..', 'evidence')

test('evidence is found by its digest, byte for byte, and kept once', () => {
  const folder = folderFor()
  const store = openEvidence(folder)
  const bytes = Buffer.from('{ "kind":  "DeploymentEvidence" }')
  expect(store.keep(bytes)).toBe(digestOf(bytes))
  expect(store.keep(bytes)).toBe(digestOf(bytes))
  expect(openEvidence(folder).find(digestOf(bytes))).toEqual(bytes)
  expect(store.list()).toEqual([digestOf(bytes)])
})

test('what is no longer what it was is not found', () => {
  const folder = folderFor()
  const store = openEvidence(folder)
  const digest = store.keep(Buffer.from('one'))
  writeFileSync(join(folder, readdirSync(folder)[0]!), 'two')
  expect(store.find(digest)).toBeUndefined()
  expect(store.find(digestOf('never'))).toBeUndefined()
})

test('after 90 days without use it is removed', () => {
  const folder = folderFor()
  const digests = ['old', 'used', 'new'].map((text) => openEvidence(folder).keep(Buffer.from(text)))
  const old = (Date.now() - 91 * DAY) / 1_000
  for (const digest of digests.slice(0, 2)) {
    utimesSync(join(folder, `${digest.slice('sha256/'.length)}.json`), old, old)
  }
  const store = openEvidence(folder, () => Date.now() - 89 * DAY)
  store.keep(Buffer.from('used'))
  openEvidence(folder).keep(Buffer.from('new'))
  expect(store.list().toSorted()).toEqual(digests.slice(1).toSorted())
})
