import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RunningProxyOutput } from '#contract/models'
import { isProxyStatus } from '#contract/validators/proxy-status'
import { isRunningProxyOutput } from '#contract/validators/running-proxy-output'
import { startConnectProxy } from '#egress/testing/connect-proxy.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { startPlatform, startProgram, temporaryFolder } from '../testing/programs.ts'
import { askSocket } from '../testing/unix.ts'
import { ask } from '../testing/world.ts'

async function startUpstream(): Promise<string> {
  const server = createServer((_, response) => void response.end('{"object":"list","data":[]}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('several endpoints, policies, a Unix socket and the admin listener, as one file says them', async () => {
  const { ready } = await startPlatform(await startUpstream())
  const endpoint = {
    url: `https://${HOSTNAME}:${new URL(ready.url).port}/v1`,
    roots: [{ file: ready.root_pem_file }],
    pins: [ready.evidence_digest],
  }
  const socket = join(temporaryFolder(), 'proxy.sock')
  const policy = (allow: string) => [
    { name: 'of this version', allow: 'evidence.version == 2' },
    { name: 'of this kind', allow },
  ]
  const proxy = await startProgram<RunningProxyOutput>('proxy', {
    dataDir: temporaryFolder(),
    admin: { port: 0 },
    endpoints: [
      { ...endpoint, name: 'allowed', listen: { socket }, policies: policy('size(evidence.resources) > 0') },
      { ...endpoint, name: 'refused', listen: { port: 0 }, policies: policy('hostname == "other"') },
      { ...endpoint, name: 'failed', listen: { port: 0 }, policies: policy('evidence.absent') },
    ],
  })
  expect(isRunningProxyOutput(proxy.ready)).toBe(true)
  expect(proxy.ready.address).toBe(`unix:${socket}`)
  const [, refused, failed] = proxy.ready.endpoints.map(({ address }) => address)
  expect(await askSocket(socket, '/v1/models')).toMatchObject({ status: 200, verdict: 'allow' })
  for (const [address, reason] of [
    [refused!, 'policy_refused'],
    [failed!, 'policy_failed'],
  ] as const) {
    const { text } = await ask({ port: Number(new URL(address).port) })
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'attestation_failed', message: expect.stringContaining('"of this kind"') },
      stage: 'policy',
      reason,
    })
  }
  const status: unknown = await (await fetch(`${proxy.ready.admin_url}/status`)).json()
  expect(isProxyStatus(status)).toBe(true)
  expect(status).toMatchObject({
    endpoints: [
      { name: 'allowed', listen: `unix:${socket}`, verdict: { state: 'admitted' } },
      { name: 'refused', verdict: { state: 'denied', reason: 'policy_refused' } },
      { name: 'failed', verdict: { state: 'denied', reason: 'policy_failed' } },
    ],
  })
  expect((await fetch(`${proxy.ready.admin_url}/readyz`)).status).toBe(503)
  expect(await proxy.stop()).toBe(0)
})

test('behind a proxy that HTTPS_PROXY names, evidence and requests go through it and stay pinned (V-10)', async () => {
  const { ready } = await startPlatform(await startUpstream())
  const company = await startConnectProxy(Number(new URL(ready.url).port))
  onTestFinished(() => company.close())
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${company.port}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { ready: proxy } = await startProgram<RunningProxyOutput>('proxy', {
    dataDir: temporaryFolder(),
    endpoints: [
      {
        name: 'far',
        listen: { port: 0 },
        url: 'https://router.invalid:8443/v1',
        hostname: HOSTNAME,
        roots: [{ file: ready.root_pem_file }],
        pins: [ready.evidence_digest],
      },
    ],
  })
  const headers = { authorization: 'Bearer canary' }
  const reply = await ask({ port: Number(new URL(proxy.address).port) }, { headers })
  expect(reply).toMatchObject({ status: 200, headers: { 'x-proxy-verdict': 'allow' } })
  expect(company.asked.map(({ authority }) => authority)).toEqual([
    'router.invalid:8443',
    'router.invalid:8443',
  ])
  expect(company.carried).not.toContain('canary')
})
