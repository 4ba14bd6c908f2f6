// @module-tag dpkg
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServing } from '#base/starter.ts'
import { createBackend } from '../../conformance/stand-ins/backend/backend.ts'
import { startTestGateway } from '../../tests/gateway.ts'
import { buildBinary } from './build.ts'
import { buildDebian, NAME } from './debian.ts'
import { createDebianRoot } from './testing/debian-root.ts'

const folder = mkdtempSync(join(tmpdir(), 'binary-test-'))
const binary = join(folder, 'proxy')
const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()

/** Nothing of Node, and nothing of this project. */
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder }

beforeAll(() => buildBinary(binary))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('one file discovers, writes its configuration, verifies and forwards', async () => {
  const backend = await createBackend({ paceMs: 1 })
  onTestFinished(() => backend.close())
  const platform = await startTestGateway(new URL(backend.url).origin)
  onTestFinished(() => platform.close())
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  copyFileSync(platform.gateway.rootPemFile, join(empty, 'root.pem'))
  const url = `https://router.localhost:${new URL(platform.gateway.url).port}/v1`
  // Not at once: the gateway is in this process.
  const init = await startToEnd(binary, ['init', url, '--yes', '--root', 'root.pem'], empty)
  expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('is written') })
  const config = join(empty, 'proxy.yaml')
  const text = readFileSync(config, 'utf8')
  writeFileSync(config, text.replace('port: 8484', 'port: 0').replace('port: 8485', 'port: 0'))
  const running = await startServing<{ readonly address: string }>({
    ...{ file: binary, args: ['run', '--json'], cwd: empty, env },
  })
  onTestFinished(async () => void (await running.stop()))
  const answer = await fetch(`${running.ready.address}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.headers.get('x-proxy-verdict')).toBe('allow')
})

test('the Debian package is installed and removed by dpkg, and leaves nothing', () => {
  const file = buildDebian(binary, folder, architecture)
  const debian = createDebianRoot(join(folder, 'root'))
  debian.dpkg('--install', file)
  const installed = execFileSync(join(debian.folder, 'usr', 'bin', NAME), ['--version'], {
    encoding: 'utf8',
    env,
  })
  expect(installed).toMatch(/^\d+\.\d+\.\d+\n$/)
  const copyright = readFileSync(join(debian.folder, 'usr', 'share', 'doc', NAME, 'copyright'), 'utf8')
  // The project's own, Node's with what that is made of, and one of the packages'.
  for (const part of ['Apache License', 'OpenSSL', 'undici 8']) expect(copyright).toContain(part)
  const completion = join(debian.folder, 'usr', 'share', 'bash-completion', 'completions', NAME)
  expect(readFileSync(completion, 'utf8')).toContain(
    `complete -o default -F _${NAME.replaceAll('-', '_')}_complete ${NAME}`,
  )
  debian.dpkg('--purge', NAME)
  expect(debian.files()).toEqual([])
  expect(debian.remembered(NAME)).toEqual([])
})

test('so it is by apt, which finds what it depends on, and puts a newer one in its place', () => {
  const older = buildDebian(binary, folder, architecture)
  const debian = createDebianRoot(join(folder, 'apt-root'))
  expect(debian.apt('install', older)).toContain(`Setting up ${NAME}`)
  const before = debian.files()
  expect(before).toContain(join(debian.folder, 'usr', 'bin', NAME))
  const newer = buildDebian(binary, join(folder, 'newer'), architecture, '99.0.0')
  expect(debian.apt('install', newer)).toMatch(/1 upgraded, 0 newly installed/)
  expect(debian.files()).toEqual(before)
  debian.apt('remove', NAME)
  expect(debian.files()).toEqual([])
  debian.apt('install', older)
  debian.apt('purge', NAME)
  expect([debian.files(), debian.remembered(NAME)]).toEqual([[], []])
})

test('apt refuses a package for another processor', () => {
  const other = architecture === 'arm64' ? 'amd64' : 'arm64'
  const file = buildDebian(binary, folder, other)
  const debian = createDebianRoot(join(folder, 'other-root'))
  expect(() => debian.apt('install', file)).toThrow(
    expect.objectContaining({ stdout: expect.stringContaining('unmet dependencies') }),
  )
  expect(debian.files()).toEqual([])
})

test('its unit is one that systemd takes', { tags: ['systemd-analyze'] }, () => {
  const unit = join(folder, `${NAME}.service`)
  const text = readFileSync(join(import.meta.dirname, `${NAME}.service`), 'utf8')
  expect(text).toContain(`ExecStart=/usr/bin/${NAME} run`)
  // Where the program is not installed, systemd would say that alone.
  writeFileSync(unit, text.replace(`/usr/bin/${NAME}`, binary))
  const told = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', unit], {
    ...{ encoding: 'utf8', env: { ...env, XDG_RUNTIME_DIR: folder } },
  })
  expect({ code: told.status, stderr: told.stderr }).toEqual({ code: 0, stderr: '' })
  writeFileSync(unit, text.replace(/^ExecStart=/m, 'ExecStart=relative/'))
  const wrong = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', unit], {
    ...{ encoding: 'utf8', env: { ...env, XDG_RUNTIME_DIR: folder } },
  })
  expect(wrong.status).not.toBe(0)
})

async function startToEnd(file: string, args: readonly string[], cwd: string) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  child.stdout.on('data', (piece) => (stdout += piece))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout }
}
