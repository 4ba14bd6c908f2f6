import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServing } from '#base/starter.ts'
import { type Backend, createBackend } from '../../conformance/stand-ins/backend/backend.ts'
import { readCorpus, requestOf } from '../../conformance/vectors/corpus.ts'
import { startTestGateway, type TestGateway } from '../../tests/gateway.ts'
import { type EmptyFolder, installAlone, nodesFrom20, typeScriptIn } from '../testing/empty.ts'

/** Most that the proxy with all that it needs may take on a disk, beside Node. */
const MAX_BYTES = 20_000_000

let empty: EmptyFolder
let backend: Backend
let platform: TestGateway
let url: string

/** A program of the package, as npm has linked it, under the Node of this project. */
const bin = (name: string) => join(empty.path, 'node_modules', '.bin', name)
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`
const proxy = (...args: readonly string[]) => empty.run(bin('proxy'), args, { PATH })

beforeAll(async () => {
  empty = await installAlone('proxy')
  backend = await createBackend({ paceMs: 1 })
  platform = await startTestGateway(new URL(backend.url).origin)
  cpSync(platform.gateway.rootPemFile, join(empty.path, 'root.pem'))
  url = `${platform.gateway.url}/v1`.replace('127.0.0.1', 'router.localhost')
})

afterAll(async () => {
  await platform?.close()
  await backend?.close()
  empty?.remove()
})

test('it is small, and brings no database, no server, no runtime and no TypeScript', () => {
  const bytes = empty.installedBytes()
  console.log(
    `proxy: ${(bytes / 1_000_000).toFixed(1)} MB with ${Object.keys(empty.archive.dependencies).join(', ')}`,
  )
  expect(bytes).toBeLessThan(MAX_BYTES)
  expect(Object.keys(empty.archive.dependencies)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/postgres|redis|hono|^node/)]),
  )
  expect(typeScriptIn(empty)).toEqual([])
})

test('what was discovered and pinned is verified and forwarded; what is no longer is refused, and sent nothing', async () => {
  const found = await proxy('discover', url, '--root', 'root.pem', '--json')
  expect(found).toMatchObject({ code: 0, stderr: '' })
  const { digest } = await platform.control('/state')
  expect(found.stdout).toContain(digest)
  const config = {
    dataDir: 'data',
    admin: { port: 0 },
    endpoints: [{ name: 'main', url, listen: { port: 0 }, roots: [{ file: 'root.pem' }], pins: [digest] }],
  }
  const file = empty.write('proxy.yaml', JSON.stringify(config))
  expect(await proxy('run', '--check')).toMatchObject({ code: 0 })
  const running = await startServing<{ readonly address: string; readonly admin_url: string }>({
    ...{ file: bin('proxy'), args: ['run', '--json', '--config', file], cwd: empty.path },
    env: { PATH },
  })
  onTestFinished(async () => void (await running.stop()))
  const { address, admin_url: adminUrl } = running.ready
  const ask = () =>
    fetch(`${address}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }),
    })
  const answer = await ask()
  expect(answer.headers.get('x-proxy-verdict')).toBe('allow')
  expect(await answer.json()).toMatchObject({ choices: [{ message: { role: 'assistant' } }] })
  expect(await proxy('status', '--admin', adminUrl)).toMatchObject({ code: 0 })

  const [endpoint] = config.endpoints
  const other = { ...config, endpoints: [{ ...endpoint, pins: [`sha256:${'0'.repeat(64)}`] }] }
  empty.write('proxy.yaml', JSON.stringify(other))
  await expect.poll(async () => (await ask()).status).toBe(503)
  const sent = backend.requests().length
  expect(await (await ask()).json()).toMatchObject({ stage: 'policy', reason: 'digest_not_pinned' })
  expect(backend.requests()).toHaveLength(sent)
  expect(await proxy('doctor', '--json')).toMatchObject({ code: 3 })
  expect(await proxy('journal', 'verify')).toMatchObject({ code: 0 })
})

test('its verdict alone answers the suite’s question', async () => {
  const vector = readCorpus().find(({ expected }) => expected.admitted)!
  const stdout = execFileSync(bin('verifier'), ['verify'], {
    ...{ input: JSON.stringify(requestOf(vector)), encoding: 'utf8', env: { PATH } },
  })
  expect(JSON.parse(stdout)).toMatchObject({ id: vector.id, outcome: 'accept' })
})

test('on an older Node it says which one it needs', async () => {
  const program = join(empty.path, 'node_modules', empty.archive.name, 'bin', 'proxy.js')
  for (const node of nodesFrom20()) {
    const { code, stderr, stdout } = await empty.run(node, [program, '--version'])
    const isNew = node === process.execPath
    expect({ code, told: isNew ? stdout : stderr }).toEqual({
      code: isNew ? 0 : 1,
      told: expect.stringMatching(isNew ? /^\d+\.\d+\.\d+\n$/ : /needs Node 24\.17 or newer; this one is 2/),
    })
  }
})
