import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOME } from './places.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'launcher with blanks '))
  cpSync(join(HOME, 'bin'), join(folder, 'bin'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A Node that says its version, or else how it was called. */
function fakeNode(file: string, version: string): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "${version} $@"\n`, {
    mode: 0o755,
  })
}

function launch(command = join(folder, 'bin/router'), env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', [command, 'a b', '--c'], {
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'path')}:/bin:/usr/bin`, ...env },
  })
  return { status, stdout: stdout.trim(), stderr }
}

/** MiB for young objects of the programs through which thousands of streams go. */
const YOUNG: Readonly<Record<string, number>> = { server: 32, proxy: 8 }

/** What a Node of that version is called with. */
function call(version: string, room = 'server', young = YOUNG[room] ?? null) {
  const flags = young === null ? '' : ` --min-semi-space-size=${young} --max-semi-space-size=${young}`
  return `${version} --preserve-symlinks --preserve-symlinks-main --require ${folder}/bin/compiled.cjs${flags} ${folder}/${room}/main.ts a b --c`
}

test.each([
  ['router', 'server'],
  ['proxy', 'proxy'],
  ['platform', 'platform'],
  ['conformance', 'conformance'],
])('the launcher of the %s may be executed by everybody, and runs %s/main.ts', (name, room) => {
  expect(statSync(join(HOME, 'bin', name)).mode & 0o777).toBe(0o755)
  fakeNode(join(folder, 'node_modules/.bin/node'), 'v24.21.0')
  expect(launch(join(folder, 'bin', name)).stdout).toBe(call('v24.21.0', room))
})

test('who says otherwise how much V8 has for the young is heard, and nothing of the environment is a flag', () => {
  fakeNode(join(folder, 'node_modules/.bin/node'), 'v24.21.0')
  const other = { NODE_OPTIONS: '--max-semi-space-size=64', node_flags: '--inspect' }
  expect(launch(join(folder, 'bin/router'), other).stdout).toBe(call('v24.21.0', 'server', null))
})

test('what Node has made of a file is kept beside the packages', () => {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'))
  mkdirSync(join(folder, 'server'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'server/main.ts'), 'export const one: number = 1\n')
  expect(launch()).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readdirSync(join(folder, 'node_modules/.cache/compiled'))).toHaveLength(1)
})

test('the Node of the project comes first', () => {
  fakeNode(join(folder, 'node_modules/.bin/node'), 'v24.21.0')
  fakeNode(join(folder, 'path/node'), 'v99.0.0')
  expect(launch().stdout).toBe(call('v24.21.0'))
})

test.each(['v24.17.0', 'v24.18.1', 'v25.0.0', 'v100.1.0'])('Node %s on the PATH will do', (version) => {
  mkdirSync(join(folder, 'node_modules'))
  fakeNode(join(folder, 'path/node'), version)
  expect(launch().stdout).toBe(call(version))
})

test.each(['v20.20.2', 'v24.16.9', 'v9.99.0', 'nonsense'])(
  'Node %s on the PATH is refused by name',
  (version) => {
    mkdirSync(join(folder, 'node_modules'))
    fakeNode(join(folder, 'path/node'), version)
    const { status, stderr } = launch()
    expect(status).toBe(1)
    expect(stderr).toContain(`this needs Node 24.17 or newer; the one on the PATH is: ${version}.`)
  },
)

test('without packages the launcher says what to run', () => {
  const { status, stderr } = launch()
  expect(status).toBe(1)
  expect(stderr).toContain('npm ci')
})

test('the launcher is found through links, relative ones too', () => {
  fakeNode(join(folder, 'node_modules/.bin/node'), 'v24.21.0')
  mkdirSync(join(folder, 'links'))
  symlinkSync('../bin/router', join(folder, 'links/one'))
  symlinkSync(join(folder, 'links/one'), join(folder, 'links/two'))
  expect(launch(join(folder, 'links/two')).stdout).toBe(call('v24.21.0'))
})

/** The packages that a program has loaded, and how many files in all. */
function loadedBy(program: string, ...args: readonly string[]): { packages: Set<string>; files: number } {
  const traces = join(folder, 'traces')
  const env = { ...process.env, NODE_V8_COVERAGE: traces }
  expect(spawnSync(program, args, { encoding: 'utf8', env }).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const files = readdirSync(traces)
    .flatMap((name) => JSON.parse(readFileSync(join(traces, name), 'utf8')).result as { url: string }[])
    .map(({ url }) => url)
    .filter((url) => url.startsWith('file:'))
  const packages = files.map((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'its own')
  return { packages: new Set(packages), files: files.length }
}

// What it loads is what a start takes; how long that is depends on who else uses the machine.
test.each(['router', 'proxy', 'platform'])(
  'the %s says its version without loading what it runs with',
  (name) => {
    const { packages, files } = loadedBy(join(HOME, 'bin', name), '--version')
    expect([...packages].toSorted()).toEqual(['commander', 'its own'])
    expect(files).toBeLessThan(30)
  },
)
