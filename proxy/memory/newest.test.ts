import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNewest } from './newest.ts'

const earlier = new Date('2030-01-01T00:00:00.000Z')
const later = new Date('2030-01-01T00:05:00.000Z')
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-newest-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('the newest accepted time of signing outlives a restart (V-06)', () => {
  openNewest(join(folder, 'new')).keep('a.example', later)
  const reopened = openNewest(join(folder, 'new'))
  expect(reopened.of('a.example')).toEqual(later)
  expect(reopened.of('b.example')).toBeUndefined()
})

test('it never goes back, whoever writes last', () => {
  const one = openNewest(folder)
  const other = openNewest(folder)
  one.keep('a.example', later)
  other.keep('a.example', earlier)
  other.keep('b.example', earlier)
  const reopened = openNewest(folder)
  expect(reopened.of('a.example')).toEqual(later)
  expect(reopened.of('b.example')).toEqual(earlier)
})

test.each(['', '{', '[1]', '{"a.example":"yesterday"}'])(
  'a damaged memory (%j) is not passed over',
  (text) => {
    writeFileSync(join(folder, 'newest.json'), text)
    expect(() => openNewest(folder)).toThrow(/damaged/)
  },
)
