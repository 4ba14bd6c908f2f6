import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { follow } from './trusted-base/imports.ts'
import { makePage } from './trusted-base.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'trusted-base.md')

test('the page lists what the core and the proxy load; `npm run generate` writes it', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toBe(makePage(page))
})

test('the core names no part of Node but its cryptography', () => {
  const { packages } = follow('attestation/index.ts')
  expect([...packages].filter((name) => name.startsWith('node:'))).toEqual(['node:crypto'])
})

test('of the contract the core loads limits, reasons and two validators', () => {
  const { files, packages } = follow('attestation/index.ts')
  expect([...files].filter((path) => path.startsWith('generated/')).sort()).toEqual([
    'generated/limits.ts',
    'generated/reasons.ts',
    'generated/validators/evidence-bundle.js',
    'generated/validators/evidence-payload.js',
  ])
  expect([...packages].sort()).toEqual(['jose', 'node:crypto'])
})

test('nothing that a verdict depends on lies in a room beside it', () => {
  const rooms = new Set([...follow('proxy/main.ts').files].map((path) => path.split('/')[0]))
  const own = ['attestation', 'base', 'config', 'egress', 'generated', 'package.json', 'proxy']
  expect([...rooms].filter((room) => !own.includes(room!))).toEqual([])
})
