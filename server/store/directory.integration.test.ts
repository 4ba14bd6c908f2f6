import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from './connection.ts'
import {
  findCell,
  findCellOfKey,
  findEmptiest,
  findMisplaced,
  findPlaces,
  placeKey,
  placeWorkspace,
} from './directory.ts'
import { createId } from './ids.ts'
import { createKey } from './keys.ts'
import { startTestServer, type TestServer } from './testing.ts'
import { createWorkspace } from './workspaces.ts'

let server: TestServer
let home: Sql
let cell: Sql

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  home = (await server.open(2)).sql
  cell = (await server.open(2)).sql
})

const hashOf = (plaintext: string) => hash('sha256', plaintext, 'hex')

async function createPlaced() {
  const id = createId('ws_')
  await placeWorkspace(home, id, 'a')
  await createWorkspace(cell, 'Elsewhere', id)
  const { key, plaintext } = await createKey(cell, id, { name: 'Test' }, (placed) => placeKey(home, placed))
  return { id, keyId: key.id, plaintext }
}

test('keys at home, elsewhere and nowhere are told apart by one statement', async () => {
  const { id: homeId } = await createWorkspace(home, 'Here')
  const own = await createKey(home, homeId, { name: 'Test' })
  const placed = await createPlaced()
  expect(await findPlaces(home, [hashOf('none'), hashOf(placed.plaintext), hashOf(own.plaintext)])).toEqual([
    undefined,
    { cell: 'a', workspaceId: placed.id, keyId: placed.keyId },
    { cell: 'home', workspaceId: homeId, keyId: own.key.id },
  ])
  expect([await findCell(home, placed.id), await findCell(home, homeId)]).toEqual(['a', 'home'])
  expect([await findCellOfKey(home, placed.keyId), await findCellOfKey(home, own.key.id)]).toEqual([
    'a',
    'home',
  ])
})

test('a key of which home cannot be told is not made', async () => {
  const { id } = await createWorkspace(cell, 'Unplaced')
  const making = createKey(cell, id, { name: 'Test' }, (key) => placeKey(home, key))
  await expect(making).rejects.toThrow('placed_keys')
  expect(await cell`select from api_keys`).toEqual([])
})

test('a new workspace is made in the cell that has the fewest', async () => {
  expect(await findEmptiest(home, ['home', 'a', 'b'])).toBe('home')
  await createWorkspace(home, 'Here')
  expect(await findEmptiest(home, ['home', 'a', 'b'])).toBe('a')
  await createPlaced()
  expect(await findEmptiest(home, ['home', 'a', 'b'])).toBe('b')
})

test('a workspace and a key of which the directory says something else are found', async () => {
  const placed = await createPlaced()
  expect(await findMisplaced(home, 'a', cell)).toEqual([])
  const { id } = await createWorkspace(cell, 'Unplaced')
  const { key } = await createKey(cell, id, { name: 'Test' })
  const lost = { workspaceId: id, cell: 'a', placedIn: null }
  const found = await findMisplaced(home, 'a', cell)
  expect(found).toHaveLength(2)
  expect(found).toContainEqual({ check: 'placed_workspace', subject: id, ...lost })
  expect(found).toContainEqual({ check: 'placed_key', subject: key.id, ...lost })
  await home`update placed_workspaces set cell = 'b' where workspace_id = ${placed.id}`
  expect(await findMisplaced(home, 'a', cell)).toHaveLength(4)
})
