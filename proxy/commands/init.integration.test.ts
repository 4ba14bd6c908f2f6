// @module-tag script
import { spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDigest, toHex } from '#attestation'
import { startTestGateway, type TestGateway } from '../../tests/gateway.ts'
import { loadProxyConfig } from '../config/proxy.ts'
import { runProxy, temporaryFolder } from '../testing/programs.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'proxy')

let platform: TestGateway
let url: string
let digest: string
let rootFile: string

beforeAll(async () => {
  platform = await startTestGateway('http://127.0.0.1:1')
  rootFile = platform.gateway.rootPemFile
  url = `https://router.localhost:${new URL(platform.gateway.url).port}/v1`
  digest = parseDigest((await platform.control('/state')).digest)
})

afterAll(() => platform?.close())

/** Each is asked once, however often a terminal draws it. */
const QUESTIONS = [
  'such as https://router.example/v1: ',
  'is it the same? [yes/no] ',
  'of this deployment? [yes/no] ',
]

/** Runs `proxy init` at a terminal of its own, and answers each question as it comes; null leaves. */
async function atTerminal(folder: string, args: readonly string[], answers: readonly (string | null)[]) {
  const command = [BIN, 'init', '--config', join(folder, 'proxy.yaml'), ...args].join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const left = [...answers]
  let [told, asked] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    // Without what moves the cursor.
    told += stripVTControlCharacters(piece)
    const questions = QUESTIONS.filter((question) => told.includes(question)).length
    for (; asked < questions; asked++) {
      const answer = left.shift()
      child.stdin.write(answer === null || answer === undefined ? '\u0004' : `${answer}\n`)
    }
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, told, unasked: left.length }
}

test('a person is shown what is deployed, says yes twice, and has a configuration that holds', async () => {
  const folder = temporaryFolder()
  const { code, told, unasked } = await atTerminal(folder, [], [url, 'yes', 'y'])
  expect({ code, unasked }).toEqual({ code: 0, unasked: 0 })
  expect(told).toContain(`This is what ${url} says is deployed for "router.localhost"`)
  expect(told).toContain('Nobody has verified this')
  const { endpoints } = loadProxyConfig(join(folder, 'proxy.yaml'), {})
  expect(endpoints[0]).toMatchObject({ name: 'main', pins: [digest] })
  expect(readFileSync(join(folder, 'root.pem'), 'utf8').trim()).toBe(readFileSync(rootFile, 'utf8').trim())
  expect(readFileSync(join(folder, 'proxy.yaml'), 'utf8')).toMatch(/^# Written by/)
})

test('each question says itself which digest it is about: what stands above it is a stranger’s', async () => {
  const { told } = await atTerminal(temporaryFolder(), [url], ['yes', 'no'])
  const root = `sha256:${createHash('sha256')
    .update(new X509Certificate(readFileSync(rootFile)).raw)
    .digest('hex')}`
  expect(told).toContain(`The root is ${root}. Did the operator`)
  expect(told).toContain(`The deployment is ${toHex(parseDigest(digest))}. Do you approve`)
})

test.each([
  ['a no to the root', ['no']],
  ['a no to the deployment', ['yes', 'no']],
  ['an answer that is neither', ['yes', 'maybe']],
  ['no answer', ['yes', null]],
])('%s writes nothing', async (_, answers) => {
  const folder = temporaryFolder()
  const { code, told } = await atTerminal(folder, [url], answers)
  expect(told).toContain('Nothing was written.')
  expect(code).toBe(3)
  expect(readdirSync(folder)).toEqual([])
})

test('a root that was named is not asked about, and not written', async () => {
  const folder = temporaryFolder()
  cpSync(rootFile, join(folder, 'mine.pem'))
  const { code, told } = await atTerminal(folder, [url, '--root', join(folder, 'mine.pem')], ['yes'])
  expect(code).toBe(0)
  expect(told).toContain('A root that you trust vouches for it.')
  expect(readdirSync(folder).toSorted()).toEqual(['mine.pem', 'proxy.yaml'])
})

test('without a terminal nothing is written, unless --yes names what it says yes to', async () => {
  const folder = temporaryFolder()
  const config = ['--config', join(folder, 'proxy.yaml')]
  expect(await runProxy('init', url, ...config)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/terminal/),
  })
  expect(await runProxy('init', url, '--yes', ...config)).toMatchObject({ code: 2 })
  expect(await runProxy('init', url, '--json', ...config)).toMatchObject({ code: 2 })
  expect(readdirSync(folder)).toEqual([])
  const root = ['--root', rootFile]
  const { code, stdout } = await runProxy('init', url, '--yes', '--json', ...root, ...config)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    url,
    hostname: 'router.localhost',
    root_written: false,
    pin: toHex(parseDigest(digest)),
  })
})

test('what does not hold is refused, and what is there is never written over', async () => {
  const folder = temporaryFolder()
  const config = join(folder, 'proxy.yaml')
  const foreign = await runProxy(
    'init',
    `${url.replace('router.localhost', 'elsewhere.localhost')}`,
    '--yes',
    '--root',
    rootFile,
    '--config',
    config,
  )
  expect(foreign).toMatchObject({ code: 3, stdout: expect.stringContaining('Nothing was written') })
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(config, 'mine')
  expect(await runProxy('init', url, '--yes', '--root', rootFile, '--config', config)).toMatchObject({
    code: 1,
  })
  expect(readFileSync(config, 'utf8')).toBe('mine')
})

test('a configuration that would not hold is refused, and not left behind', async () => {
  const folder = temporaryFolder()
  const two = join(folder, 'two.pem')
  writeFileSync(two, readFileSync(rootFile, 'utf8').repeat(2))
  const config = join(folder, 'proxy.yaml')
  expect(await runProxy('init', url, '--yes', '--root', two, '--config', config)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('exactly one certificate'),
  })
  expect(readdirSync(folder)).toEqual(['two.pem'])
})
