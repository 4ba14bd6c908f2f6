import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const ROW = /^\| `(\w+)` \| .+ \| `([^`]+)` \|$/gm
const EXPORT = /^export (?:abstract )?(?:async )?(?:const|function|class|interface|type) (\w+)/gm

const page = readFileSync(join(ROOT, 'docs', 'glossary.md'), 'utf8')
const rows = [...page.matchAll(ROW)].map(([, word, owner]) => ({ word: word!, owner: owner! }))

const owners = new Map<string, string[]>()
for (const file of globSync('{server,proxy,egress,attestation,base,config}/**/*.ts', { cwd: ROOT })) {
  if (/(^|\/)testing(\/|\.ts$)|\.test\.ts$/.test(file)) continue
  for (const [, name] of readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORT)) {
    owners.set(name!, [...(owners.get(name!) ?? []), file])
  }
}

test('the glossary has words', () => {
  expect(rows.length).toBeGreaterThan(20)
  expect(new Set(rows.map(({ word }) => word)).size).toBe(rows.length)
})

test.each(rows)('$word is exported by its owner alone', ({ word, owner }) => {
  expect(owners.get(word)).toEqual([owner])
})
