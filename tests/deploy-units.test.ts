// @module-tag systemd-analyze

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../generated/limits.ts'
import { findProgram } from './needs.ts'

const ROOT = join(import.meta.dirname, '..')
const UNITS = [
  'confidential-router.service',
  'confidential-platform.service',
  'user/confidential-proxy.service',
]

/** What systemd says of a unit whose program lies in this tree; throws, with its words, when it finds a mistake. */
function analyze(unit: string, ...words: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'units-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, basename(unit))
  writeFileSync(file, read(unit).replaceAll('/opt/confidential-router', ROOT))
  // For a user's units it wants to know where that user's runtime files lie.
  const env = { ...process.env, XDG_RUNTIME_DIR: folder }
  const { status, stdout, stderr } = spawnSync(findProgram('systemd-analyze')!, [...words, file], { env })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

const read = (unit: string) => readFileSync(join(ROOT, 'deploy/systemd', unit), 'utf8')

test.each(UNITS)('systemd finds no mistake in %s', (unit) => {
  const scope = unit.startsWith('user/') ? ['--user'] : []
  expect(analyze(unit, ...scope, '--man=no', '--recursive-errors=no', 'verify')).toBe('')
})

test('systemd finds a mistake where there is one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'units-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'broken.service')
  writeFileSync(file, read(UNITS[0]!).replaceAll('/opt/confidential-router', '/nowhere'))
  const verify = () =>
    execFileSync(findProgram('systemd-analyze')!, ['--man=no', '--recursive-errors=no', 'verify', file], {
      stdio: 'pipe',
    })
  expect(verify).toThrow('/nowhere/bin/router')
})

test.each(UNITS.slice(0, 2))('%s leaves its program little of the machine', (unit) => {
  // Of 100, where 0 is nothing at all; a unit without a word about it has 96.
  expect(analyze(unit, 'security', '--offline=true', '--threshold=25')).toContain('Overall exposure level')
})

test('a router is given the time that it takes to drain', () => {
  const [, seconds] = /TimeoutStopSec=(\d+)/.exec(read(UNITS[0]!))!
  expect(Number(seconds) * 1_000).toBeGreaterThan(limits.drainMs + 10_000)
})
