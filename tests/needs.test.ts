import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram, isContinuousBuild, isExcused, needs } from './needs.ts'

const ROOT = join(import.meta.dirname, '..')
/** Files of the test command, which speak of every need. */
const OURS = ['needs', 'provide', 'count'].map((name) => join('tests', name))
const texts = new Map<string, string>()

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
  writeFileSync(join(folder, 'absent'), '', { mode: 0o644 })
  const path = ['/nowhere', '', folder].join(delimiter)
  expect(findProgram('near', path, [system])).toBe(join(folder, 'near'))
  expect(findProgram('far', path, [system])).toBe(join(system, 'far'))
  expect(findProgram('absent', path, [system])).toBe(undefined)
})

test('a continuous build is excused from nothing but Python and what is optional', () => {
  const excused = (isContinuous: boolean) => needs.filter((need) => isExcused(need, isContinuous))
  expect(excused(false)).toEqual(needs)
  const programs = excused(true).filter((need) => need.kind === 'program')
  expect(programs.map(({ name }) => name)).toEqual([
    'ssh-keygen',
    'faketime',
    'caddy',
    'promtool',
    'systemd-analyze',
    'pg_basebackup',
  ])
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

test('a test that comes to a program of the table, by itself or by what it imports, has its tag', () => {
  const files = globSync('**/*.test.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '.data/**', 'dist/**'],
  })
  expect(files.length).toBeGreaterThan(100)
  const untagged = files
    .filter((file) => !isOurs(file))
    .flatMap((file) => {
      const reached = reach(join(ROOT, file))
      const text = read(join(ROOT, file))
      return needs
        .filter(({ name }) => [...reached].some((module) => read(module).includes(`'${name}'`)))
        .filter(({ name }) => !text.includes(`@module-tag ${name}\n`) && !text.includes(`tags: ['${name}'`))
        .map(({ name }) => `${file} needs ${name}`)
    })
  expect(untagged).toEqual([])
})

/** A file and all that it imports of this project. */
function reach(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file) || isOurs(relative(ROOT, file)) || !existsSync(file)) return reached
  reached.add(file)
  for (const [, near, egress] of read(file).matchAll(/from '(?:(\.[^']+)|#egress\/([^']+))'/g)) {
    reach(near ? join(dirname(file), near) : join(ROOT, 'egress', egress!), reached)
  }
  return reached
}

function isOurs(file: string): boolean {
  return OURS.some((start) => file.startsWith(start))
}

function read(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8')
  texts.set(file, text)
  return text
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'needs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
