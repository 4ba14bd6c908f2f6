import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withLock } from './lock.ts'

/** How often somebody has found a lock taken, and waits. */
const waits = vi.hoisted(() => ({ count: 0 }))

vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  const setTimeout = (ms: number) => {
    waits.count++
    return real.setTimeout(ms)
  }
  return { ...real, setTimeout }
})

let folder: string
let file: string

beforeEach(() => {
  waits.count = 0
  folder = mkdtempSync(join(tmpdir(), 'router-lock-'))
  file = join(folder, 'lock')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('one task at a time, and the lock is gone afterwards', async () => {
  let inside = 0
  const most: number[] = []
  const task = async (): Promise<void> => {
    most.push(++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
  }
  await Promise.all([1, 2, 3].map(() => withLock(file, task)))
  expect(most).toEqual([1, 1, 1])
  expect(existsSync(file)).toBe(false)
})

test('a task that fails gives the lock back', async () => {
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(file, async () => 1)).toBe(1)
})

test.each([
  ['a dead process', () => spawnSync('true').pid],
  ['an earlier process of our own number', () => process.pid],
])('the lock of %s is taken over', async (_, owner) => {
  writeFileSync(file, String(owner()))
  expect(await withLock(file, async () => 1)).toBe(1)
})

test('the lock of a living process is respected', async () => {
  writeFileSync(file, String(process.ppid))
  let isInside = false
  const entered = withLock(file, async () => {
    isInside = true
  })
  await vi.waitUntil(() => waits.count > 3)
  expect(isInside).toBe(false)
  rmSync(file)
  await entered
  expect(isInside).toBe(true)
})

test('a lock that could not be written, on a full disk, is nobody’s', async () => {
  const probe = await open(join(folder, 'probe'), 'w')
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  vi.spyOn(Object.getPrototypeOf(probe), 'writeFile').mockRejectedValueOnce(full)
  await probe.close()
  await expect(withLock(file, async () => 1)).rejects.toBe(full)
  expect(existsSync(file)).toBe(false)
  expect(await withLock(file, async () => 1)).toBe(1)
})

test('a lock that tells no owner is taken over once nobody can be writing it any more', async () => {
  writeFileSync(file, '')
  let isInside = false
  const entered = withLock(file, async () => {
    isInside = true
  })
  await vi.waitUntil(() => waits.count > 3)
  expect(isInside).toBe(false)
  const before = Date.now() / 1_000 - 10
  utimesSync(file, before, before)
  await entered
  expect(isInside).toBe(true)
})
