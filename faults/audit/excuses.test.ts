import { expect, test } from 'vitest'
import type { Sighting } from '../load/sighting.ts'
import type { Fault } from '../plan/fault.ts'
import { excusesOf } from './excuses.ts'

const excuses = (fault: Partial<Fault>, atMs: number, missed?: string) =>
  excusesOf([
    { fault: { kind: 'kill', subject: 'router-1', afterMs: 0, lastsMs: 10, ...fault }, atMs, missed },
  ])

const seen = (way: string) => ({ way, begunMs: 100, endedMs: 200 }) as Sighting

test.each([
  ['while it was served', 'router-1', 150, true],
  ['a moment after', 'router-1', 10_000, true],
  ['before it was sent', 'router-1', 50, false],
  ['long after', 'router-1', 100_000, false],
  ['while another router served it', 'router-2', 150, false],
])('a router that was killed %s', (_, way, atMs, expected) => {
  expect(excuses({}, atMs).wasKilled(seen(way))).toBe(expected)
})

test('a fault that could not be planted excuses nothing', () => {
  expect(excuses({}, 150, 'why').wasKilled(seen('router-1'))).toBe(false)
})

test('a platform that broke excuses what came through the proxy, and nothing else', () => {
  const broken = excuses({ kind: 'pause', subject: 'platform' }, 95)
  expect(broken.wasCutOff(seen('proxy'))).toBe(true)
  expect(broken.wasCutOff(seen('router-0'))).toBe(false)
  expect(excuses({ kind: 'pause', subject: 'platform' }, 50).wasCutOff(seen('proxy'))).toBe(false)
})
