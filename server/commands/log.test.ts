import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import type { Log } from '../log.ts'
import { createLog } from './log.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** The lines that `write` leaves in a log of that level. */
async function linesOf(count: number, write: (log: Log) => void): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  folders.push(folder)
  const file = join(folder, 'log')
  const fd = openSync(file, 'a')
  write(createLog('info', fd))
  const lines = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  await vi.waitFor(() => expect(lines()).toHaveLength(count))
  closeSync(fd)
  return lines().map((line) => JSON.parse(line))
}

test('a line has its level, its time, its message and the fields that are there', async () => {
  const [line] = await linesOf(1, (log) =>
    log.info('request finished', { requestId: 'req-1', generationId: undefined, status: 200 }),
  )
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    msg: 'request finished',
    requestId: 'req-1',
    status: 200,
  })
})

test('an error is written with its causes, and without members that may hold a statement’s parameters', async () => {
  const cause = Object.assign(new Error('lost'), { code: 'ECONNRESET', parameters: ['canary'] })
  const [line] = await linesOf(1, (log) =>
    log.error('request failed', { error: new Error('outer', { cause }) }),
  )
  expect(line).toMatchObject({ error: { message: 'outer', cause: { message: 'lost', code: 'ECONNRESET' } } })
  expect(JSON.stringify(line)).not.toContain('canary')
})

test('a key that a caller has put somewhere is cut to the prefix by which it is shown', async () => {
  const key = `sk-tee-v1-${'Ab-_'.repeat(10)}xyz`
  const lines = await linesOf(2, (log) => {
    log.info('request finished', { requestId: key })
    log.warn('two', { error: new Error(`${key}, ${key}`) })
  })
  expect(lines[0]).toMatchObject({ requestId: 'sk-tee-v1-Ab…' })
  expect(JSON.stringify(lines)).not.toContain('sk-tee-v1-Ab-')
})

test('many lines at once all arrive, in their order', async () => {
  const lines = await linesOf(2_000, (log) => {
    for (let count = 0; count < 2_000; count++) log.info('line', { count })
  })
  expect(lines.map(({ count }) => count)).toEqual(Array.from({ length: 2_000 }, (_, count) => count))
})

const STORM = `
  import { createLog } from '${import.meta.dirname}/log.ts'
  const log = createLog('info')
  for (let count = 0; count < 20_000; count++) log.info('line', { count })
  process.exit(3)`

test('a process that ends at once leaves its whole log, and ends too where nobody reads it any more', async () => {
  const args = ['--input-type=module-typescript', '--eval', STORM]
  const read = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const whole = await text(read.stderr)
  expect(whole.match(/"count":\d+/g)?.map((part) => part.slice(8))).toEqual(
    Array.from({ length: 20_000 }, (_, count) => String(count)),
  )
  const unread = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  unread.stderr.destroy()
  expect(await once(unread, 'exit')).toEqual([3, null])
})
