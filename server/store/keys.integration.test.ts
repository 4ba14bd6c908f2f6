import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyFinder } from '../admission/key-finder.ts'
import type { Sql } from './connection.ts'
import { createKey, createKeyWithin, listKeys, revokeKey, updateKey } from './keys.ts'
import { startTestServer, type TestServer } from './testing.ts'
import { createWorkspace, findWorkspace, listWorkspaces } from './workspaces.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
})

afterAll(() => server.stop())

const past = new Date('2020-01-01T00:00:00Z')
const future = new Date('2100-01-01T00:00:00Z')
const find = (plaintext: string) => createKeyFinder(sql)(hash('sha256', plaintext, 'hex'))

test('a workspace starts with nothing and is found by its id', async () => {
  const workspace = await createWorkspace(sql, 'Empty')
  expect(workspace).toMatchObject({ name: 'Empty', balanceMicros: 0n, heldMicros: 0n })
  expect(workspace.id).toMatch(/^ws_[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(await findWorkspace(sql, workspace.id)).toEqual(workspace)
  expect(await listWorkspaces(sql)).toContainEqual(workspace)
  expect(await findWorkspace(sql, 'ws_unknown')).toBeUndefined()
})

test('a key is shown once; the database keeps its hash and its first twelve characters', async () => {
  const { id } = await createWorkspace(sql, 'Keys')
  const { key, plaintext } = await createKey(sql, id, { name: 'First' })
  expect(plaintext).toMatch(/^sk-tee-v1-[A-Za-z0-9_-]{43}$/)
  expect(key.id).toMatch(/^key_[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(key).toMatchObject({
    workspaceId: id,
    name: 'First',
    prefix: plaintext.slice(0, 12),
    state: 'active',
  })
  const stored = await sql`
    select k::text || d::text as row from api_keys k join key_directory d on d.key_id = k.id where k.id = ${key.id}`
  expect(stored[0]?.row).toContain(hash('sha256', plaintext, 'hex'))
  expect(stored[0]?.row).not.toContain(plaintext.slice(12))
})

test('a key is found by the hash of its plaintext, an unknown one is not', async () => {
  const { id } = await createWorkspace(sql, 'Found')
  const settings = { name: 'Scoped', modelScope: ['a', 'b/c'], tokensPerMinute: 7, spendLimitMicros: 0n }
  const { key, plaintext } = await createKey(sql, id, settings)
  expect(await find(plaintext)).toEqual({
    state: 'active',
    modelScope: ['a', 'b/c'],
    rates: {
      keyId: key.id,
      workspaceId: id,
      requestsPerMinute: null,
      tokensPerMinute: 7,
      workspaceRequestsPerMinute: null,
      workspaceTokensPerMinute: null,
    },
    balanceMicros: 0n,
    isSpent: true,
  })
  expect(await find('sk-tee-v1-unknown')).toBeUndefined()
})

test('keys that are asked for together are answered each with its own', async () => {
  const { id } = await createWorkspace(sql, 'Batch')
  const made = await Promise.all(['One', 'Two', 'Three'].map((name) => createKey(sql, id, { name })))
  const findKey = createKeyFinder(sql)
  const hashes = [...made.map(({ plaintext }) => hash('sha256', plaintext, 'hex')), '00'.repeat(32)]
  const found = await Promise.all([...hashes, hashes[0]!].map(findKey))
  const [one, two, three] = made.map(({ key }) => key.id)
  expect(found.map((key) => key?.rates.keyId)).toEqual([one, two, three, undefined, one])
})

test('revoking is for good, takes effect at once, and keeps its first time', async () => {
  const { id } = await createWorkspace(sql, 'Revoked')
  const { key, plaintext } = await createKey(sql, id, { name: 'Gone' })
  const first = await revokeKey(sql, key.id)
  expect(first).toMatchObject({ state: 'revoked' })
  expect((await revokeKey(sql, key.id))?.revokedAt).toEqual(first?.revokedAt)
  expect((await find(plaintext))?.state).toBe('revoked')
  expect((await updateKey(sql, key.id, { expiresAt: future }))?.state).toBe('revoked')
  expect(await revokeKey(sql, 'key_unknown')).toBeUndefined()
})

test('a key expires by the database’s clock, and a later expiry revives it', async () => {
  const { id } = await createWorkspace(sql, 'Expired')
  const { key, plaintext } = await createKey(sql, id, { name: 'Old', expiresAt: past })
  expect(key.state).toBe('expired')
  expect((await find(plaintext))?.state).toBe('expired')
  expect((await updateKey(sql, key.id, { expiresAt: future }))?.state).toBe('active')
  expect((await updateKey(sql, key.id, { expiresAt: null }))?.expiresAt).toBeNull()
})

test('an update changes what it names and leaves the rest', async () => {
  const { id } = await createWorkspace(sql, 'Update')
  const limits = { requestsPerMinute: 10, tokensPerMinute: 5_000_000_000, spendLimitMicros: 7n }
  const { key } = await createKey(sql, id, { name: 'Before', modelScope: ['a'], ...limits })
  expect(key).toMatchObject({ modelScope: ['a'], ...limits })
  expect(await updateKey(sql, key.id, { name: 'After', modelScope: null, requestsPerMinute: null })).toEqual({
    ...key,
    name: 'After',
    modelScope: null,
    requestsPerMinute: null,
  })
  expect(await updateKey(sql, key.id, {})).toMatchObject({ name: 'After' })
  expect(await updateKey(sql, 'key_unknown', { name: 'x' })).toBeUndefined()
  expect((await listKeys(sql, id)).map((listed) => listed.name)).toEqual(['After'])
})

test.each([
  ['an empty name', { name: '' }],
  ['a name of 65 characters', { name: 'x'.repeat(65) }],
  ['an empty scope', { name: 'x', modelScope: [] }],
])('%s is refused, and no key is left behind', async (_, settings) => {
  const { id } = await createWorkspace(sql, 'Refused')
  await expect(createKey(sql, id, settings)).rejects.toThrow('violates check constraint')
  expect(await listKeys(sql, id)).toEqual([])
})

test('of twenty who make the last key that a workspace may have, one has it', async () => {
  const { id } = await createWorkspace(sql, 'Full')
  await sql`
    insert into api_keys (workspace_id, id, name, prefix)
    select ${id}, 'key_' || n, 'many', 'sk' from generate_series(1, 999) n`
  const make = () => createKeyWithin(sql, id, { name: 'last' })
  const made = await Promise.all(Array.from({ length: 20 }, make))
  expect(made.filter(Boolean)).toHaveLength(1)
  await revokeKey(sql, 'key_1')
  expect(await make()).toBeDefined()
})
