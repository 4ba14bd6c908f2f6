import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Places, placesIn } from './places.ts'
import { identify } from './processes.ts'
import { claim, findStarter } from './starter.ts'

let places: Places
beforeEach(() => {
  places = placesIn(mkdtempSync(join(tmpdir(), 'starter-')))
})
afterEach(() => rmSync(places.dataDir, { recursive: true }))

test('a data folder has one starter at a time', () => {
  const first = claim(places)
  expect(first?.former).toBeUndefined()
  expect(claim(places)).toBeUndefined()
  expect(findStarter(places)?.pid).toBe(process.pid)
})

test('a released data folder may be claimed again', () => {
  claim(places)?.release()
  expect(findStarter(places)).toBeUndefined()
  expect(claim(places)).toBeDefined()
})

test('after a starter was killed the next one learns of its children', () => {
  const child = { pid: 2_000_001, born: '1' }
  claim(places)?.note([child])
  const dead = { pid: process.pid, born: 'before', children: [child] }
  writeFileSync(places.starterFile, JSON.stringify(dead))
  expect(findStarter(places)).toBeUndefined()
  expect(claim(places)?.former).toEqual(dead)
  expect(findStarter(places)).toMatchObject({ ...identify(process.pid), children: [child] })
})

test('a file that cannot be read does not stop a start', () => {
  writeFileSync(places.starterFile, '')
  expect(claim(places)).toBeDefined()
})
