import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RunningProxyOutput } from '#contract/models'
import { isRunningProxyOutput } from '#contract/validators/running-proxy-output'
import { HOSTNAME } from '#egress/testing/identity.ts'
import {
  control,
  type PlatformReady,
  type Program,
  runProxy,
  startPlatform,
  startProgram,
  temporaryFolder,
} from '../testing/programs.ts'
import { ask, readAll, send } from '../testing/world.ts'

interface Upstream {
  readonly url: string
  readonly requests: IncomingMessage[]
}

/** A router that a test plays. */
async function startUpstream(script: RequestListener): Promise<Upstream> {
  const requests: IncomingMessage[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    requests.push(request)
    script(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

function configFor(
  { ready }: Program<PlatformReady>,
  dataDir = temporaryFolder(),
  pin = ready.evidence_digest,
): object {
  const { port } = new URL(ready.url)
  return {
    dataDir,
    endpoints: [
      {
        name: 'demo',
        listen: { port: 0 },
        url: `https://${HOSTNAME}:${port}/v1`,
        roots: [{ file: ready.root_pem_file }],
        pins: [pin],
      },
    ],
  }
}

async function startProxy(config: object) {
  const program = await startProgram<RunningProxyOutput>('proxy', config)
  return { ...program, port: Number(new URL(program.ready.address).port) }
}

const hello: RequestListener = (_, response) => void response.end('{"object":"list","data":[]}')

test('it prints where it serves, forwards what it has verified, and ends when told', async () => {
  const upstream = await startUpstream(hello)
  const platform = await startPlatform(upstream.url)
  const proxy = await startProxy(configFor(platform))
  expect(isRunningProxyOutput(proxy.ready)).toBe(true)
  expect(proxy.ready.endpoints).toEqual([{ name: 'demo', address: proxy.ready.address }])
  const reply = await ask(proxy, { headers: { authorization: 'Bearer sk-tee-v1-canary' } })
  expect(reply).toMatchObject({ status: 200, headers: { 'x-proxy-verdict': 'allow' } })
  expect(upstream.requests[0]?.headers.authorization).toBe('Bearer sk-tee-v1-canary')
  expect(await proxy.stop()).toBe(0)
  for (const line of proxy.log) expect(JSON.parse(line)).toHaveProperty('msg')
  expect(proxy.log.join('\n')).toContain(platform.ready.evidence_digest)
  expect(proxy.log.join('\n')).not.toContain('canary')
})

test('with --with-parent it ends when its standard input closes', async () => {
  const platform = await startPlatform('http://127.0.0.1:9')
  const proxy = await startProxy(configFor(platform))
  const exited = once(proxy.child, 'exit')
  proxy.child.stdin.end()
  expect((await exited)[0]).toBe(0)
})

test('a configuration with mistakes is told all of them, and exits with 4', async () => {
  const file = join(temporaryFolder(), 'proxy.yaml')
  writeFileSync(
    file,
    'endpoints:\n  - { name: a, url: "http://x/v1", roots: [{ file: no.pem }], pins: [x] }\nextra: 1\n',
  )
  const { code, stdout, stderr } = await runProxy('run', '--config', file)
  expect(code).toBe(4)
  expect(stdout).toBe('')
  for (const path of ['endpoints[0].url', 'endpoints[0].roots[0].file', 'endpoints[0].pins[0]', 'extra']) {
    expect(stderr).toContain(path)
  }
  expect((await runProxy('run', '--config', '/no/such/proxy.yaml')).code).toBe(4)
})

test('a port that is taken ends the start with 1, and says what to write into the configuration', async () => {
  const { url } = await startUpstream(hello)
  const platform = await startPlatform(url)
  const { endpoints, ...rest } = configFor(platform) as { readonly endpoints: readonly object[] }
  const file = join(temporaryFolder(), 'proxy.yaml')
  const taken = Number(new URL(url).port)
  writeFileSync(file, JSON.stringify({ ...rest, endpoints: [{ ...endpoints[0], listen: { port: taken } }] }))
  const { code, stderr } = await runProxy('run', '--config', file)
  expect(code).toBe(1)
  expect(stderr).toMatch(/is taken \(EADDRINUSE\).*set another port.*such as listen: \{ port: \d+ \}/)
})

test('a deployment that is not pinned is sent nothing', async () => {
  const upstream = await startUpstream(hello)
  const platform = await startPlatform(upstream.url)
  const proxy = await startProxy(configFor(platform, undefined, `sha256:${'0'.repeat(64)}`))
  const { status, text } = await ask(proxy, { method: 'POST', body: '{"prompt":"canary"}' })
  expect(status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({ stage: 'policy', reason: 'digest_not_pinned' })
  expect(upstream.requests).toHaveLength(0)
})

test('a pin put into the file of a running proxy admits, and one taken out ends streams with attestation_revoked', async () => {
  const upstream = await startUpstream((request, response) => {
    if (request.url !== '/v1/stream') return response.end('{}')
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 0\n\n')
  })
  const platform = await startPlatform(upstream.url)
  const proxy = await startProxy(configFor(platform, undefined, `sha256:${'0'.repeat(64)}`))
  expect((await ask(proxy)).status).toBe(503)
  const digest = platform.ready.evidence_digest
  expect(await runProxy('pin', 'add', digest, '--config', proxy.file)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect((await ask(proxy)).status).toBe(200), {
    timeout: 15_000,
    interval: 100,
  })
  const stream = readAll(await send(proxy, { path: '/v1/stream' }))
  // Whatever has a mistake changes nothing.
  const sound = readFileSync(proxy.file, 'utf8')
  writeFileSync(proxy.file, 'endpoints: []\n')
  await vi.waitFor(() => expect(proxy.log.join('\n')).toContain('has a mistake'), { timeout: 15_000 })
  expect((await ask(proxy)).status).toBe(200)
  writeFileSync(proxy.file, sound)
  expect(await runProxy('pin', 'remove', digest, '--config', proxy.file)).toMatchObject({ code: 0 })
  expect(await stream).toMatch(
    /^data: 0\n\n.*"attestation_revoked".*"reason":"digest_not_pinned"\}\n\ndata: \[DONE\]\n\n$/s,
  )
  const { status, text } = await ask(proxy)
  expect(status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({ stage: 'policy', reason: 'digest_not_pinned' })
})

test('a bundle older than the newest accepted before the restart is refused (V-06)', async () => {
  const platform = await startPlatform('http://127.0.0.1:9')
  const dataDir = join(temporaryFolder(), 'memory')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'newest.json'), JSON.stringify({ [HOSTNAME]: new Date(Date.now() + 600_000) }))
  const proxy = await startProxy(configFor(platform, dataDir))
  const { text } = await ask(proxy)
  expect(JSON.parse(text)).toMatchObject({ stage: 'jws', reason: 'issued_at_rolled_back' })
})

test('a platform that comes up after the proxy is found without a restart', async () => {
  const upstream = await startUpstream(hello)
  const first = await startPlatform(upstream.url)
  const config = configFor(first)
  const { port } = new URL(first.ready.url)
  await first.stop()
  const proxy = await startProxy(config)
  expect(JSON.parse((await ask(proxy)).text)).toMatchObject({ stage: 'fetch', reason: 'unreachable' })
  await startProgram('platform', {
    listen: { port: Number(port) },
    hostname: HOSTNAME,
    upstream: upstream.url,
    dataDir: join(first.ready.root_pem_file, '..'),
    deployment: join(import.meta.dirname, '..', '..', 'platform', 'demo-deployment'),
  })
  await vi.waitFor(async () => expect((await ask(proxy)).status).toBe(200), {
    timeout: 15_000,
    interval: 200,
  })
})

test('a platform that rotates its certificate before it signs anew heals with the signature', async () => {
  const platform = await startPlatform((await startUpstream(hello)).url)
  const proxy = await startProxy(configFor(platform))
  await control(platform, '/hold')
  await control(platform, '/rotate/leaf?resign=later')
  expect(JSON.parse((await ask(proxy)).text)).toMatchObject({
    stage: 'tls-fingerprint',
    reason: 'leaf_mismatch',
  })
  await control(platform, '/resign')
  expect((await ask(proxy)).status).toBe(200)
})

test('rotations under 20 streams and 10 looping clients: the streams finish, one refusal at the most (V-01)', async () => {
  const streams: ServerResponse[] = []
  const upstream = await startUpstream((request, response) => {
    if (request.url !== '/v1/stream') return response.end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 0\n\n')
    return streams.push(response)
  })
  const platform = await startPlatform(upstream.url)
  const proxy = await startProxy(configFor(platform))
  const opened = Array.from({ length: 20 }, () => send(proxy, { path: '/v1/stream' }))
  const texts = (await Promise.all(opened)).map(readAll)
  let isOver = false
  const statuses: number[] = []
  const clients = Array.from({ length: 10 }, async (_, index) => {
    const agent = new Agent({ keepAlive: index % 2 === 0 })
    while (!isOver) statuses.push((await ask(proxy, { method: 'POST', body: '{}', agent })).status)
    agent.destroy()
  })
  for (const rotation of ['/rotate/leaf', '/rotate/signer', '/rotate/leaf']) {
    const before = statuses.length
    await control(platform, rotation)
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(before + 200), { timeout: 20_000 })
  }
  isOver = true
  await Promise.all(clients)
  for (const response of streams) response.end('data: [DONE]\n\n')
  for (const text of await Promise.all(texts)) expect(text).toBe('data: 0\n\ndata: [DONE]\n\n')
  expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(1)
})
