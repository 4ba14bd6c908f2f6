import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runSteps, stepsOf } from './auditor.ts'

const ROOT = join(import.meta.dirname, '..')
const page = readFileSync(join(ROOT, 'docs', 'auditor.md'), 'utf8')

beforeAll(() => {
  for (const command of ['openssl', 'jq']) {
    try {
      execFileSync('which', [command])
    } catch (cause) {
      throw new Error(`This test needs ${command}: apt-get install openssl jq`, { cause })
    }
  }
})

test('every command of the auditor’s guide works and prints what the guide says', () => {
  const steps = stepsOf(page)
  expect(steps.length).toBe(page.split('```sh\n').length - 1)
  expect(steps.length).toBeGreaterThan(9)
  expect(runSteps(steps, ROOT)).toEqual(steps.map(({ printed }) => printed))
})
