import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const IMPORT = /^(?:import|export|\} from)\b.*?'(\.[^']+)'/gm

/** What helps tests may wire rooms together as it likes. */
const isOfTests = (file: string) => /(^|\/)testing(\/|\.ts$)|\.test\.tsx?$/.test(file)

/** The rooms of a product and which of them each one reads; a file that lies in none is a room of its own. */
function readingsOf(product: string): Map<string, Set<string>> {
  const folder = join(ROOT, product)
  const roomOf = (file: string) => relative(folder, file).split('/')[0]!
  const readings = new Map<string, Set<string>>()
  for (const name of globSync('**/*.{ts,tsx}', { cwd: folder }).filter((name) => !isOfTests(name))) {
    const file = join(folder, name)
    const read = readings.get(roomOf(file)) ?? new Set()
    readings.set(roomOf(file), read)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const other = join(dirname(file), path!)
      const isInside = !relative(folder, other).startsWith('..')
      if (isInside && roomOf(other) !== roomOf(file)) read.add(roomOf(other))
    }
  }
  return readings
}

/** What is left when rooms that read none of the others are taken away, again and again: circles, and their readers. */
function inCircles(readings: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Map(readings)
  for (;;) {
    const free = [...left].filter(([, read]) => [...read].every((room) => !left.has(room)))
    if (free.length === 0) return [...left.keys()]
    for (const [room] of free) left.delete(room)
  }
}

test.each([
  'server',
  'proxy',
  'egress',
  'attestation',
  'platform',
  'console/src',
  'stack',
  'conformance',
  'base',
  'faults',
  'pack',
])('no two rooms of %s read each other', (product) => {
  expect(inCircles(readingsOf(product))).toEqual([])
})

test('one arrow leads from admission to metering', () => {
  const readings = readingsOf('server')
  expect(readings.get('admission')).toContain('metering')
  expect(readings.get('metering')).not.toContain('admission')
})
