import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TestClock } from '#egress/testing/clock.ts'
import { ConfigError } from '../../config/error.ts'
import { createLog } from '../log.ts'
import { temporaryFolder } from '../testing/programs.ts'
import type { ProxyConfig } from './proxy.ts'
import { watchConfig } from './watch.ts'

const SECOND = 1_000
const config: ProxyConfig = { dataDir: '', admin: undefined, endpoints: [] }

/** A file that is looked at; `problems` is what it has. */
function startWatching() {
  const file = join(temporaryFolder(), 'proxy.yaml')
  writeFileSync(file, 'one')
  const clock = new TestClock()
  const lines: string[] = []
  const world = { file, clock, lines, taken: 0, problems: [] as string[], whileRead: () => {}, stop() {} }
  world.stop = watchConfig({
    file,
    clock,
    log: createLog((line) => lines.push(line)),
    take: () => {
      world.taken += 1
    },
    load() {
      world.whileRead()
      const problems = world.problems.map((path) => ({ path, message: 'is wrong' }))
      if (problems.length > 0) throw new ConfigError(file, problems)
      return config
    },
  })
  return world
}

test('a file is read once after the start and once after each change, however it was written', async () => {
  const world = startWatching()
  await world.clock.pass(5 * SECOND)
  expect(world.taken).toBe(1)
  writeFileSync(world.file, 'longer')
  await world.clock.pass(SECOND)
  expect(world.taken).toBe(2)
  utimesSync(world.file, 1, 1)
  await world.clock.pass(SECOND)
  expect(world.taken).toBe(3)
  writeFileSync(`${world.file}.new`, 'longer')
  utimesSync(`${world.file}.new`, 1, 1)
  renameSync(`${world.file}.new`, world.file)
  await world.clock.pass(5 * SECOND)
  expect(world.taken).toBe(4)
})

test('a file with mistakes changes nothing, and each mistake is told once', async () => {
  const world = startWatching()
  world.problems = ['endpoints[0].pins', 'extra']
  await world.clock.pass(5 * SECOND)
  expect(world.taken).toBe(0)
  expect(world.lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', setting: 'endpoints[0].pins', mistake: 'is wrong' },
    { level: 'error', setting: 'extra', mistake: 'is wrong' },
  ])
  rmSync(world.file)
  world.problems = ['file']
  await world.clock.pass(5 * SECOND)
  expect(world.lines).toHaveLength(3)
  world.problems = []
  writeFileSync(world.file, 'whole again')
  await world.clock.pass(SECOND)
  expect(world.taken).toBe(1)
})

test('a file that is written to while it is read is read again', async () => {
  const world = startWatching()
  world.whileRead = () => writeFileSync(world.file, `${'x'.repeat(50)}${Math.random()}`)
  await world.clock.pass(SECOND)
  expect(world.taken).toBe(0)
  world.whileRead = () => {}
  await world.clock.pass(SECOND)
  expect(world.taken).toBe(1)
})

test('after the end it is looked at no more', async () => {
  const world = startWatching()
  world.stop()
  await world.clock.pass(5 * SECOND)
  expect(world.taken).toBe(0)
})
