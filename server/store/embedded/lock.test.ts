import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { takeLock } from '#base/lock.ts'
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

test('who finds it held waits', async () => {
  const lock = takeLock(file)!
  let isInside = false
  const entered = withLock(file, async () => {
    isInside = true
  })
  await vi.waitUntil(() => waits.count > 3)
  expect(isInside).toBe(false)
  lock.release()
  await entered
  expect(isInside).toBe(true)
})
