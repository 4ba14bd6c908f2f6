import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { lookAtProcess } from './process.ts'

const isLinux = process.platform === 'linux'

async function startShell(): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', 'echo on; read line'], { stdio: ['pipe', 'pipe', 'ignore'] })
  await once(child.stdout!, 'data')
  return child
}

test('a process is told from another by when it was started, and has gone once it was collected', async () => {
  const self = lookAtProcess(process.pid)
  const child = await startShell()
  const other = lookAtProcess(child.pid!)
  expect(self?.isZombie).toBe(isLinux ? false : undefined)
  expect(lookAtProcess(process.pid)).toEqual(self)
  expect(isLinux && Number(other!.born) <= Number(self!.born)).toBe(false)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  expect(lookAtProcess(child.pid!)).toBeUndefined()
})
