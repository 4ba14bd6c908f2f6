import { expect, test } from 'vitest'
import { planEpisode } from './plan.ts'

const all = { routers: 3, hasRedis: true, hasOwnDisk: true }
const many = (breakable = all) =>
  Array.from({ length: 200 }, (_, index) => planEpisode(7, index + 1, breakable)).flat()

test('the faults of an episode depend on its seed and number alone', () => {
  expect(planEpisode(7, 3, all)).toEqual(planEpisode(7, 3, all))
  expect(planEpisode(7, 3, all)).not.toEqual(planEpisode(8, 3, all))
  expect(planEpisode(7, 3, all)).not.toEqual(planEpisode(7, 4, all))
})

test('each kind of fault comes, and each part of the stack is killed and paused', () => {
  const faults = many()
  const kinds = new Set(faults.map(({ kind }) => kind))
  expect(kinds).toEqual(
    new Set(['kill', 'pause', 'cut-database', 'stall-commits', 'disk-full', 'clock', 'rotate', 'withdraw']),
  )
  const parts = ['router-0', 'router-1', 'router-2', 'database', 'redis', 'platform', 'backend', 'proxy']
  for (const wanted of ['kill', 'pause'] as const) {
    const subjects = faults.filter(({ kind }) => kind === wanted).map(({ subject }) => subject)
    expect(new Set(subjects)).toEqual(new Set(parts))
  }
})

test('some faults last longer than a lease', () => {
  expect(Math.max(...many().map(({ lastsMs }) => lastsMs))).toBeGreaterThan(20_000)
})

test('what a machine does not have is not broken', () => {
  const faults = many({ routers: 2, hasRedis: false, hasOwnDisk: false })
  expect(faults.filter(({ kind }) => kind === 'disk-full')).toEqual([])
  const subjects = faults.map(({ subject }) => subject)
  expect(subjects).not.toContain('redis')
  expect(subjects).not.toContain('router-2')
})
