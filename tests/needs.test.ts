import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram, isContinuousBuild, isExcused, needs } from './needs.ts'

test('every need has a name of its own, a place it comes from and somebody who needs it', () => {
  expect(new Set(needs.map(({ name }) => name)).size).toBe(needs.length)
  for (const need of needs) {
    expect(need.use).not.toBe('')
    if (need.kind === 'program') expect(need.debianPackage).toMatch(/^[a-z][a-z0-9.+-]+$/)
    else expect(need.requirement).toMatch(/^[a-z][a-z0-9-]*==\d+(\.\d+)+$/)
  }
})

test('a program is found on the PATH, and where Debian puts those of root', () => {
  const [folder, system] = [makeFolder(), makeFolder()]
  for (const file of [join(folder, 'near'), join(system, 'far')]) {
    writeFileSync(file, '')
    chmodSync(file, 0o755)
  }
  const path = ['/nowhere', '', folder].join(delimiter)
  expect(findProgram('near', path, [system])).toBe(join(folder, 'near'))
  expect(findProgram('far', path, [system])).toBe(join(system, 'far'))
  expect(findProgram('absent', path, [system])).toBe(undefined)
})

test('a continuous build is excused from nothing but Python', () => {
  const excused = (isContinuous: boolean) => needs.filter((need) => isExcused(need, isContinuous))
  expect(excused(false)).toEqual(needs)
  expect(new Set(excused(true).map(({ kind }) => kind))).toEqual(new Set(['python']))
})

test.each([
  ['true', true],
  ['1', true],
  ['false', false],
  ['', false],
  [undefined, false],
])('CI=%s is a continuous build: %s', (value, expected) => {
  expect(isContinuousBuild({ CI: value })).toBe(expected)
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'needs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
