import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Sql } from '../store/connection.ts'
import { placeKey, placeWorkspace } from '../store/directory.ts'
import { createId } from '../store/ids.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { createLocator } from './locator.ts'

let server: TestServer
let home: Sql

beforeAll(async () => {
  server = await startTestServer()
  home = (await server.open(2)).sql
})

afterAll(() => server.stop())

async function placed(cell: string) {
  const [workspaceId, keyId] = [createId('ws_'), createId('key_')]
  const keyHash = hash('sha256', keyId, 'hex')
  await placeWorkspace(home, workspaceId, cell)
  await placeKey(home, { keyHash: Buffer.from(keyHash, 'hex'), keyId, workspaceId })
  return { keyHash, place: { cell, workspaceId, keyId } }
}

test('a key that was found is not asked for again until it is forgotten', async () => {
  const { keyHash, place } = await placed('a')
  const asked = vi.fn()
  const watched = new Proxy(home, {
    apply(target, self, args) {
      asked()
      return Reflect.apply(target, self, args)
    },
  })
  const locator = createLocator(watched)
  expect(locator.known(keyHash)).toBeUndefined()
  expect(await locator.find(keyHash)).toEqual(place)
  expect(await locator.find(keyHash)).toEqual(place)
  expect(locator.known(keyHash)).toEqual(place)
  expect(await locator.findCell(place.workspaceId)).toBe('a')
  expect(asked).toHaveBeenCalledTimes(1)
  await home`update placed_workspaces set cell = 'b' where workspace_id = ${place.workspaceId}`
  locator.forget(keyHash)
  expect(await locator.find(keyHash)).toEqual({ ...place, cell: 'b' })
})

test('a flood of unknown keys costs one statement for all that come together, and the next of them is found', async () => {
  const asked = vi.fn()
  const watched = new Proxy(home, {
    apply(target, self, args: [{ raw?: readonly string[] }, ...never[]]) {
      if (args[0].raw?.join('').includes('placed_keys')) asked()
      return Reflect.apply(target, self, args)
    },
  })
  const locator = createLocator(watched)
  const hashes = Array.from({ length: 200 }, (_, index) => hash('sha256', `unknown ${index}`, 'hex'))
  const found = await Promise.all(hashes.map((keyHash) => locator.find(keyHash)))
  expect(found.filter((place) => place !== undefined)).toEqual([])
  // The first of them goes alone, the others gather behind it.
  expect(asked.mock.calls.length).toBeLessThanOrEqual(2)
  const { keyHash, place } = await placed('a')
  expect(await locator.find(keyHash)).toEqual(place)
})
