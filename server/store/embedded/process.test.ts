import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mayServe } from './process.ts'

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'router-process-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a process may serve the folder in which it sits, and no other', async () => {
  const [own, other] = [makeFolder(), makeFolder()]
  const child = spawn('sleep', ['60'], { cwd: own })
  onTestFinished(() => void child.kill())
  await once(child, 'spawn')
  expect(mayServe(child.pid!, own)).toBe(true)
  expect(mayServe(child.pid!, other)).toBe(false)
})

test('one of another user, of which nobody is told where it sits, serves none of ours', () => {
  const folder = makeFolder()
  // Root is told: there the folder is made somebody else's, which must not make it one of theirs either.
  if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534)
  expect(mayServe(1, folder)).toBe(false)
})
