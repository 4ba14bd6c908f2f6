import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findReleased } from './released.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'released-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('without a release there is nothing to hold the contract against, with git and without', () => {
  expect(findReleased(undefined, folder)).toBeUndefined()
  git('init')
  expect(findReleased(undefined, folder)).toBeUndefined()
})

test('the newest tag of a version is the released contract', () => {
  git('init')
  for (const version of ['v1.9.0', 'v1.10.0', 'another']) release(version)
  expect(findReleased(undefined, folder)).toEqual({
    name: 'generated/openapi.yaml of v1.10.0',
    text: 'title: v1.10.0\n',
  })
})

test('a file or a revision may be named instead', () => {
  git('init')
  release('v1.0.0')
  release('v2.0.0')
  const file = join(folder, 'old.yaml')
  writeFileSync(file, 'title: old\n')
  expect(findReleased(file, folder)).toEqual({ name: file, text: 'title: old\n' })
  expect(findReleased('v1.0.0', folder)?.text).toBe('title: v1.0.0\n')
  expect(() => findReleased('absent', folder)).toThrow('There is no file "absent"')
})

function release(version: string): void {
  mkdirSync(join(folder, 'generated'), { recursive: true })
  writeFileSync(join(folder, 'generated', 'openapi.yaml'), `title: ${version}\n`)
  git('add', 'generated')
  git('-c', 'user.name=Test', '-c', 'user.email=test@example', 'commit', '-m', version)
  git('tag', version)
}

function git(...args: readonly string[]): void {
  execFileSync('git', ['-c', 'commit.gpgsign=false', '-c', 'tag.gpgsign=false', ...args], {
    cwd: folder,
    stdio: 'pipe',
  })
}
