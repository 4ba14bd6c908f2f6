import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isStack } from '#contract/validators/stack'
import { type Places, placesIn } from './places.ts'
import { readStackFile, removeStackFile, type StackFile, writeStackFile } from './stackfile.ts'

const stack: StackFile = {
  router_base_url: 'http://127.0.0.1:8080/v1',
  admin_url: 'http://127.0.0.1:9464',
  proxy_base_url: 'http://127.0.0.1:8484/v1',
  platform_url: 'https://127.0.0.1:8443',
  platform_control_url: 'http://127.0.0.1:8444',
  console_url: 'http://127.0.0.1:8080/console/',
  outbox_url: 'http://127.0.0.1:8025',
  api_key: 'sk-tee-v1-x',
  workspace_id: 'ws_1',
  model: 'demo/tiny-chat',
  root_pem_file: '/data/platform/root.pem',
  pins: ['sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
  database_url: 'postgres://127.0.0.1:54329/router',
  database_dir: '/data',
  pids: { start: 1, router: 2, proxy: 3, platform: 4, postgres: 5 },
}

let places: Places
beforeEach(() => {
  places = placesIn(mkdtempSync(join(tmpdir(), 'stackfile-')))
})
afterEach(() => rmSync(places.dataDir, { recursive: true }))

test('the stack file is the contract’s document, is read as it was written, and goes', () => {
  expect(isStack(stack), JSON.stringify(isStack.errors)).toBe(true)
  writeStackFile(places, stack)
  expect(readStackFile(places)).toEqual(stack)
  removeStackFile(places)
  expect(readStackFile(places)).toBeUndefined()
})

test('the stack file is for its owner only, even where it lay open before', () => {
  writeFileSync(places.stackFile, '{}', { mode: 0o644 })
  writeStackFile(places, stack)
  expect(statSync(places.stackFile).mode & 0o777).toBe(0o600)
  expect(readdirSync(places.dataDir)).toEqual(['stack.json'])
})
