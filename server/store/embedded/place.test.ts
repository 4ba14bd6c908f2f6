import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { canEnter, findPlace } from './place.ts'

const stranger = { uid: 65_533, gid: 65_533 }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-place-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['open to all', 0o755, true],
  ['open to its owner alone', 0o700, false],
  ['readable but not enterable', 0o744, false],
])('a parent that is %s decides whether another user can enter', (_, mode, expected) => {
  const inner = join(folder, 'inner')
  mkdirSync(inner)
  chmodSync(folder, mode)
  expect(canEnter(inner, stranger)).toBe(expected)
})

test('the owner of a folder can enter it whatever others may', () => {
  const owner = { uid: process.getuid!(), gid: process.getgid!() }
  expect(canEnter(folder, owner)).toBe(true)
})

test('a link is judged by where it leads', () => {
  chmodSync(folder, 0o755)
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  symlinkSync(closed, join(folder, 'link'))
  expect(canEnter(join(folder, 'link'), stranger)).toBe(false)
})

test('for our own user the database is inside the data folder', () => {
  expect(findPlace(folder, undefined)).toEqual({
    folder: join(folder, 'database'),
    databaseDir: join(folder, 'database', 'data'),
  })
})

test('for another user it moves to a folder that is the same each time and differs by data folder', () => {
  const [one, other] = [join(folder, 'one'), join(folder, 'other')]
  const places = [one, one, other].map((dataDir) => findPlace(dataDir, stranger).folder)
  expect(places[0]).toBe(places[1])
  expect(places[0]).not.toBe(places[2])
  expect(places[0]!.startsWith(folder)).toBe(false)
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

test('a folder of that name which others can write to is refused', () => {
  const { folder: shelter } = findPlace(folder, stranger)
  chmodSync(shelter, 0o777)
  expect(() => findPlace(folder, stranger)).toThrow('does not belong to this user alone')
  rmSync(shelter, { recursive: true, force: true })
})
