import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { claimCell, claimHome, requireCells } from './cell-identity.ts'
import type { Sql } from './connection.ts'
import { placeWorkspace } from './directory.ts'
import { startTestServer, type TestServer } from './testing.ts'
import { createWorkspace } from './workspaces.ts'

let server: TestServer
let home: Sql
let cell: Sql
let homeId: string

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  home = (await server.open(2)).sql
  cell = (await server.open(2)).sql
  homeId = await claimHome(home)
})

test('a database becomes home or a cell once, and stays it', async () => {
  expect(await claimHome(home)).toBe(homeId)
  await claimCell(cell, homeId, 'a')
  await claimCell(cell, homeId, 'a')
  await createWorkspace(cell, 'Team')
  await expect(claimCell(cell, homeId, 'a')).resolves.toBeUndefined()
})

test('several routers may make a home at once, and all hear of one', async () => {
  const fresh = (await server.open(4)).sql
  const ids = await Promise.all([1, 2, 3, 4].map(() => claimHome(fresh)))
  expect(new Set(ids).size).toBe(1)
})

test('a database that is another cell’s, another deployment’s or the home’s is refused', async () => {
  await claimCell(cell, homeId, 'a')
  await expect(claimCell(cell, homeId, 'b')).rejects.toThrow('is the database of the cell a')
  await expect(claimCell(cell, 'another', 'a')).rejects.toThrow('is the database of another deployment')
  await expect(claimCell(home, homeId, 'a')).rejects.toThrow('is the database of the cell home')
  await expect(claimHome(cell)).rejects.toThrow('is the database of the cell a')
  await expect(requireCells(cell, [])).rejects.toThrow('is the database of the cell a')
})

test('a database that held workspaces before it became a cell is refused', async () => {
  await createWorkspace(cell, 'Team')
  await expect(claimCell(cell, homeId, 'a')).rejects.toThrow('has workspaces of its own')
  expect(await cell`select from this_cell`).toEqual([])
})

test('a cell that is missing while workspaces live there is refused by its name', async () => {
  await expect(requireCells(home, [])).resolves.toBeUndefined()
  await placeWorkspace(home, 'ws_1', 'a')
  await expect(requireCells(home, ['a', 'b'])).resolves.toBeUndefined()
  await expect(requireCells(home, ['b'])).rejects.toThrow(
    'database.cells: lacks a, and workspaces live there',
  )
})
