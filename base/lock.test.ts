import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { holderOf, takeLock } from './lock.ts'
import { lookAtProcess } from './process.ts'

/** Whether a file that is written finds no room: it is there then, and empty. */
const disk = vi.hoisted(() => ({ isFull: false }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const writeFileSync: typeof real.writeFileSync = (path, data, options) => {
    real.writeFileSync(path, disk.isFull ? '' : data, options)
    if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  return { ...real, writeFileSync }
})

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-lock-'))
  file = join(folder, 'lock')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('it is held once, and gone when it is given back', () => {
  const lock = takeLock(file)!
  expect(takeLock(file)).toBeUndefined()
  expect(holderOf(file)).toBe(String(process.pid))
  lock.release()
  expect(readdirSync(folder)).toEqual([])
  takeLock(file)!.release()
})

test.each<[string, () => string]>([
  ['a dead process', () => String(spawnSync('true').pid)],
  ['an earlier process of our own number', () => `${process.pid} 1`],
  ['nobody, as a full disk left it', () => ''],
  ['nobody that could be a process', () => 'nobody'],
])('the lock of %s is taken over', (_, holder) => {
  writeFileSync(file, holder())
  const lock = takeLock(file)!
  expect(holderOf(file)).toBe(String(process.pid))
  lock.release()
  expect(readdirSync(folder)).toEqual([])
})

test('the lock of a living process is respected, however old its file looks', () => {
  const parent = process.ppid
  writeFileSync(file, `${parent} ${lookAtProcess(parent)!.born}`)
  utimesSync(file, 1, 1)
  expect(takeLock(file)).toBeUndefined()
  expect(readdirSync(folder)).toEqual(['lock'])
})

test('a lock that somebody else took over is not given back by who had it', () => {
  const lock = takeLock(file)!
  writeFileSync(file, 'somebody else')
  lock.release()
  expect(existsSync(file)).toBe(true)
})

test('a lock that could not be written, on a full disk, is nobody’s', () => {
  disk.isFull = true
  try {
    expect(() => takeLock(file)).toThrow('no space left on device')
  } finally {
    disk.isFull = false
  }
  expect(readdirSync(folder)).toEqual([])
  takeLock(file)!.release()
})

test('where it cannot be written, nothing is left of it', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'gone'))
  expect(() => takeLock(join(folder, 'gone', 'lock'))).toThrow('ENOENT')
  expect(readdirSync(folder)).toEqual(['gone'])
})

test('of processes that find the lock of a dead one together, one is inside at a time', async () => {
  const program = `
    import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
    import { takeLock } from ${JSON.stringify(import.meta.resolve('./lock.ts'))}
    const [file, inside] = process.argv.slice(1)
    const untilMs = Date.now() + 1_500
    let count = 0
    while (Date.now() < untilMs) {
      const lock = takeLock(file)
      if (lock === undefined) continue
      mkdirSync(inside)
      rmdirSync(inside)
      // Half of them end without giving it back, as far as others can tell.
      if (++count % 2 === 0) lock.release()
      else {
        writeFileSync(file + process.pid, '999999999')
        renameSync(file + process.pid, file)
      }
    }
    console.log(count)`
  const args = ['--input-type=module', '--eval', program, file, join(folder, 'inside')]
  const ends = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
      return await once(child, 'exit')
    }),
  )
  expect(ends).toEqual([1, 2, 3].map(() => [0, null]))
})
