import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type KnownEndpoint, openNewest } from './newest.ts'

const earlier = new Date('2030-01-01T00:00:00.000Z')
const later = new Date('2030-01-01T00:05:00.000Z')
const latest = new Date('2030-01-01T00:06:00.000Z')
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-newest-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function endpoint(name: string, host = '127.0.0.1', hostname = 'router.example', port = 443): KnownEndpoint {
  return { name, target: { host, hostname, port } }
}

const [one, other] = [endpoint('one'), endpoint('other')]

test('the newest accepted time of signing outlives a restart (V-06)', () => {
  openNewest(join(folder, 'new')).keep(one, later)
  const reopened = openNewest(join(folder, 'new'))
  expect(reopened.of(one)).toEqual(later)
  expect(reopened.of(other)).toBeUndefined()
})

test('it never goes back, whoever writes last', () => {
  const first = openNewest(folder)
  const second = openNewest(folder)
  first.keep(one, later)
  second.keep(one, earlier)
  second.keep(other, earlier)
  const reopened = openNewest(folder)
  expect(reopened.of(one)).toEqual(later)
  expect(reopened.of(other)).toEqual(earlier)
})

test('what cannot be kept holds while the program runs, and is kept as soon as it can be', () => {
  const opened = openNewest(folder)
  opened.keep(one, earlier)
  writeFileSync(join(folder, 'newest.json'), '{')
  expect(() => opened.keep(one, later)).toThrow(/damaged/)
  expect(opened.of(one)).toEqual(later)
  rmSync(join(folder, 'newest.json'))
  opened.keep(one, later)
  expect(openNewest(folder).of(one)).toEqual(later)
})

test('endpoints that share a hostname are remembered each for itself: by name, by address, by hostname', () => {
  const regions = [
    endpoint('main', '10.0.0.1'),
    endpoint('main', '10.0.0.2'),
    endpoint('staging', '10.0.0.1'),
    endpoint('main', '10.0.0.1', 'other.example'),
    endpoint('main', '10.0.0.1', 'router.example', 8443),
  ]
  openNewest(folder).keep(regions[0]!, later)
  const reopened = openNewest(folder)
  expect(regions.map((each) => reopened.of(each))).toEqual([
    later,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('what an earlier version remembered by hostname holds until an endpoint has a time of its own', () => {
  const file = join(folder, 'newest.json')
  writeFileSync(file, JSON.stringify({ 'router.example': later.toISOString() }))
  const opened = openNewest(folder)
  expect([opened.of(one), opened.of(other)]).toEqual([later, later])
  opened.keep(one, latest)
  const reopened = openNewest(folder)
  expect([reopened.of(one), reopened.of(other)]).toEqual([latest, later])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ 'router.example': later.toISOString() })
})

const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777

test('nobody else can read it, whatever the umask, and whatever was there', () => {
  const umask = process.umask(0)
  try {
    // Left by an earlier version, and by a process of the same number that died while it wrote.
    for (const name of ['newest.json', `newest.json.${process.pid}`]) {
      writeFileSync(join(folder, name), JSON.stringify({ 'router.example': earlier.toISOString() }))
      chmodSync(join(folder, name), 0o666)
    }
    const opened = openNewest(folder)
    expect(modeOf('newest.json')).toBe(0o600)
    opened.keep(one, later)
    expect(modeOf('newest.json')).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['newest.json'])
  } finally {
    process.umask(umask)
  }
})

test.each(['', '{', '[1]', '[]', '5', 'true', '""', '{"a.example":"yesterday"}'])(
  'a damaged memory (%j) is not passed over',
  (text) => {
    writeFileSync(join(folder, 'newest.json'), text)
    expect(() => openNewest(folder)).toThrow(/damaged/)
  },
)
