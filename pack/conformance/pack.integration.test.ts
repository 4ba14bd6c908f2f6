import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { ConformanceResults } from '#contract/models'
import { changesOf } from '../../conformance/report/changes.ts'
import { readResults } from '../../conformance/report/read.ts'
import { nonsense } from '../../conformance/testing/nonsense.ts'
import { freePort } from '../../conformance/testing/ports.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'conformance-pack-'))
const empty = join(folder, 'empty')

/** Without the Node of this project where the machine has one of its own, which is mostly an older one. */
const PATH = process.env
  .PATH!.split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter)
const isOldEnough = /^v(?:20\.(?:1[1-9]|[2-9]\d)|2[1-9]|[3-9]\d)\./.test(
  spawnSync('node', ['--version'], { encoding: 'utf8', env: { PATH } }).stdout ?? '',
)
const env = { ...process.env, PATH: isOldEnough ? PATH : process.env.PATH }

/** The program that was installed. */
const installed = (...args: readonly string[]) => [
  join(empty, 'node_modules', '.bin', 'conformance'),
  ...args,
]

/** A folder that npm takes for a project of its own, whatever lies above it. */
const EMPTY_PROJECT = '{ "private": true }'

beforeAll(() => {
  mkdirSync(empty)
  writeFileSync(join(empty, 'package.json'), EMPTY_PROJECT)
  execFileSync(process.execPath, [join(ROOT, 'pack', 'main.ts'), 'conformance', '--into', folder])
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, archive)], {
    cwd: empty,
    env,
  })
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program; gives its code and what it wrote. */
async function call(command: readonly string[]): Promise<{ code: number; told: string }> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: empty, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let told = ''
  child.stdout.on('data', (piece) => (told += piece))
  const [code] = (await once(child, 'close')) as [number]
  return { code, told }
}

test('the package has no dependency, and every scenario and vector of this repository', async () => {
  expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toHaveLength(1)
  const { told } = await call(installed('list', '--json'))
  expect(told).toBe(readFileSync(join(ROOT, 'conformance', 'scenarios.json'), 'utf8'))
  const own = JSON.parse((await call([join(ROOT, 'bin', 'conformance'), 'coverage', '--json'])).told)
  expect(JSON.parse((await call(installed('coverage', '--json'))).told)).toEqual(own)
})

test('its scripted model serves until it is asked to stop', async () => {
  const [program = '', ...args] = installed('backend', '--port', '0', '--control-port', '0', '--json')
  const child = spawn(program, args, { cwd: empty, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString())
  // Longer than any other command is kept alive after its end.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await (await fetch(`${url}/models`)).json()).toMatchObject({ data: [{ id: 'tiny-chat' }] })
  child.kill()
  expect(await once(child, 'close')).toEqual([0, null])
})

/** Runs what follows without a network, loopback apart, where this machine lets a program do so. */
const apart = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const isolate = spawnSync(apart[0]!, [...apart.slice(1), 'true']).status === 0 ? apart : []

const SMALL = join(ROOT, 'reports', '1.0.0', 'hundred-lines')

/** Installs a program, has it judge a router that it serves itself, and gives what it found. */
async function judgeApart(install: string, program: string) {
  const own = mkdtempSync(join(folder, 'apart-'))
  writeFileSync(join(own, 'package.json'), EMPTY_PROJECT)
  const [port, control, served] = [await freePort(), await freePort(), await freePort()]
  const target = readFileSync(join(SMALL, 'target.yaml'), 'utf8')
  writeFileSync(
    join(own, 'target.yaml'),
    target.replace(':8600/', `:${served}/`).replace(':9001"', `:${control}"`),
  )
  const script = `${install} > install.log
    ${program} backend --port ${port} --control-port ${control} > backend.log & backend=$!
    BACKEND=http://127.0.0.1:${port}/v1 PORT=${served} node ${join(SMALL, 'server.js')} > server.log & server=$!
    until [ -s backend.log ] && [ -s server.log ]; do sleep 0.1; done
    ${program} run --target target.yaml --seed 3 --grep errors/ --grep models/ --report-dir out
    code=$?
    kill $backend $server
    exit $code`
  const [command = '', ...args] = [...isolate, 'sh', '-c', script]
  const child = spawn(command, args, {
    cwd: own,
    env: { ...env, API_KEY: 'sk-hundred-lines', CONFORMANCE_KEY: 'sk-hundred-lines' },
    stdio: 'ignore',
  })
  expect(await once(child, 'close')).toEqual([1, null])
  return readResults(join(own, 'out', 'results.json'))
}

test('without a network it installs into an empty folder, and judges as this repository does', async () => {
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  const install = `npm install --offline --no-audit --no-fund ${join(folder, archive)}`
  const there = await judgeApart(install, './node_modules/.bin/conformance')
  const here = await judgeApart('true', join(ROOT, 'bin', 'conformance'))
  expect(changesOf(here, there)).toEqual([])
  const verdicts = ({ scenarios }: ConformanceResults) => scenarios.map(({ id, verdict }) => [id, verdict])
  expect(verdicts(there)).toEqual(verdicts(here))
  expect(verdicts(there).filter(([, verdict]) => verdict === 'error')).toEqual([])
})

test('its scripted model ends with npx, whose signal does not reach it', async () => {
  const [program = '', ...args] = installed('backend', '--port', '0', '--control-port', '0', '--json')
  // What npx starts is a shell, which the signal ends alone.
  const shell = spawn('sh', ['-c', '"$0" "$@" & wait', program, ...args], {
    ...{ cwd: empty, env: { ...env, npm_command: 'exec' } },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(shell.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString())
  expect((await fetch(`${url}/models`)).status).toBe(200)
  // Its standard output closes when the last of them has ended.
  const ended = once(shell.stdout, 'close')
  shell.kill()
  await ended
  await expect(fetch(`${url}/models`)).rejects.toThrow()
})

test('it judges as this repository does, writes the same reports, and begins by init', async () => {
  const server = createServer(nonsense['event streams of nonsense']!() as RequestListener).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const target = join(folder, 'target.yaml')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const keys = { active: `sk-tee-v1-${'a'.repeat(43)}` }
  const product = { name: 'A stranger' }
  writeFileSync(
    target,
    stringify({ product, profiles: ['router'], baseUrl, models: { chat: 'a/model' }, keys }),
  )
  const judge = async (program: readonly string[], into: string) => {
    const options = ['run', '--target', target, '--seed', '3', '--report-dir', join(folder, into)]
    expect((await call([...program, ...options])).code).toBe(1)
    return readResults(join(folder, into, 'results.json'))
  }
  const [here, there] = [
    await judge([join(ROOT, 'bin', 'conformance')], 'here'),
    await judge(installed(), 'there'),
  ]
  expect(changesOf(here, there)).toEqual([])
  expect({ ...there.suite }).toEqual(here.suite)
  expect(readdirSync(join(folder, 'there')).toSorted()).toEqual(readdirSync(join(folder, 'here')).toSorted())
  expect((await call(installed('init', 'mine.yaml'))).code).toBe(0)
  server.closeAllConnections()
  server.close()
})
