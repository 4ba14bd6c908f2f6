import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { identify, isRunning, stopProcess } from './processes.ts'

async function run(code: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', `${code}; console.log('on'); setInterval(() => {}, 1000)`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout!, 'data')
  return child
}

test('a process is told from a later one with the same id', () => {
  const self = identify(process.pid)!
  expect(isRunning(self)).toBe(true)
  expect(isRunning({ ...self, born: 'another time' })).toBe(false)
})

test('a process that has ended is not running, collected or not', async () => {
  const child = await run('')
  const id = identify(child.pid!)!
  child.kill('SIGKILL')
  await expect.poll(() => isRunning(id)).toBe(false)
  expect(identify(child.pid!)).toBeUndefined()
})

test('a process is stopped by the signal it is asked with', async () => {
  const child = await run('')
  const ended = once(child, 'exit')
  await stopProcess(identify(child.pid!)!, 10_000, 'SIGINT')
  expect((await ended)[1]).toBe('SIGINT')
})

test('a process that does not listen is ended when patience is over', async () => {
  const child = await run(`process.on('SIGTERM', () => {})`)
  const ended = once(child, 'exit')
  await stopProcess(identify(child.pid!)!, 50)
  expect((await ended)[1]).toBe('SIGKILL')
})
