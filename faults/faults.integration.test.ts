// @module-tag redis-server

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from './report.ts'

/** Long enough for a machine that others use as well. */
const LIMIT_MS = 600_000

const small = ['--episodes', '1', '--routers', '2', '--clients', '12', '--json']

/** Runs the command as anybody does. */
function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly report: Report }> {
  const main = join(import.meta.dirname, 'main.ts')
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [main, ...small, ...args], (_, stdout, stderr) => {
      try {
        resolve({ code: child.exitCode, report: JSON.parse(stdout) as Report })
      } catch {
        reject(new Error(stderr))
      }
    })
  })
}

test(
  'a stack that is broken under load agrees with itself afterwards',
  async () => {
    const { code, report } = await run('--seed', '1')
    expect(report.violations).toEqual([])
    expect(code).toBe(0)
    expect(Object.keys(report.faults).length).toBeGreaterThan(0)
    expect(report.endings.whole).toBeGreaterThan(0)
    expect(report.records).toBeGreaterThan(report.endings.whole!)
  },
  LIMIT_MS,
)

test(
  'a settlement that leaves out debits is caught, with the way to see it again',
  async () => {
    const { code, report } = await run('--seed', '2', '--break', 'free-ride')
    expect(code).toBe(1)
    const checks = new Set(report.violations.map(({ check }) => check))
    expect(checks).toContain('books')
    expect(checks).toContain('ledger-verify')
    expect(report.replay).toBe(
      'npm run faults -- --seed 2 --episode 1 --routers 2 --clients 12 --break free-ride',
    )
  },
  LIMIT_MS,
)
