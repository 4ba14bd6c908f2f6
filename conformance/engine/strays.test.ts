import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, '..', 'testing', 'straying.ts')

test('what a scenario throws anywhere is its result, and what nobody throws is a fault', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM])
  const { verdicts, faults } = JSON.parse(stdout) as { verdicts: string[][]; faults: string[] }
  expect(verdicts).toEqual([
    ['stray/in-a-timer', 'fail', 'in a timer'],
    ['stray/in-a-promise', 'error', expect.stringContaining('in a promise that nobody waits for')],
    ['stray/after-its-end', 'fail', 'after its end'],
    ['stray/beside-its-failure', 'fail', 'the first', 'the second'],
    ['stray/nothing', 'pass'],
  ])
  expect(faults).toEqual(['of no scenario', 'whoever is told'])
})
