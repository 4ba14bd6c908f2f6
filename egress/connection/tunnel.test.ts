import { Pool } from 'undici'
import { afterEach, expect, test, vi } from 'vitest'
import { createConnector } from '../dispatch/pinned.ts'
import { fetchBundle } from '../evidence/fetch.ts'
import { type ConnectProxy, startConnectProxy } from '../testing/connect-proxy.ts'
import { type Gateway, startGateway } from '../testing/gateway.ts'
import { createIdentity, HOSTNAME } from '../testing/identity.ts'
import { dial, discard } from './dial.ts'
import { type Target, targetOf } from './target.ts'

const first = createIdentity()
const second = createIdentity()
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

interface World {
  readonly gateway: Gateway
  readonly proxy: ConnectProxy
  readonly target: Target
  readonly pool: Pool
}

/** An endpoint whose name only the proxy can look up. */
async function startWorld(): Promise<World> {
  const gateway = await startGateway(first, (_, response) => void response.end('hello'))
  const proxy = await startConnectProxy(gateway.port)
  const environment = { HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${proxy.port}` }
  const target = targetOf(new URL('https://router.invalid:8443/v1'), HOSTNAME, environment)
  const pool = new Pool(`https://${HOSTNAME}`, { connect: createConnector(target, first.fingerprint) })
  open.push(gateway, proxy, { close: () => pool.destroy() })
  return { gateway, proxy, target, pool }
}

async function ask(pool: Pool): Promise<string> {
  const headers = { authorization: 'Bearer canary', connection: 'close' }
  const { body } = await pool.request({ path: '/', method: 'GET', headers })
  return body.text()
}

test('a request goes through the proxy that HTTPS_PROXY names, which cannot read it (V-10)', async () => {
  const { gateway, proxy, pool } = await startWorld()
  expect(await ask(pool)).toBe('hello')
  expect(proxy.asked).toEqual([
    {
      authority: 'router.invalid:8443',
      headers: expect.objectContaining({
        host: 'router.invalid:8443',
        'proxy-authorization': `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
      }),
    },
  ])
  expect(proxy.carried).not.toContain('canary')
  expect(gateway.connections[0]?.text).toContain('Bearer canary')
  expect(gateway.connections[0]?.text.toLowerCase()).not.toContain('proxy-authorization')
})

test('the evidence is fetched through it as well, and the certificate behind it is the one that counts', async () => {
  const { gateway, proxy, target } = await startWorld()
  gateway.answer((_, response) => void response.end('{}'))
  const { bytes, observedLeaf } = await fetchBundle(target)
  expect(Buffer.from(bytes).toString()).toBe('{}')
  expect(observedLeaf).toBe(first.fingerprint)
  expect(proxy.asked).toHaveLength(1)
})

test('a proxy that ends TLS itself is sent not one byte of the request (V-10)', async () => {
  const { gateway, proxy, pool } = await startWorld()
  gateway.rotate(second)
  await expect(ask(pool)).rejects.toMatchObject({ stage: 'tls-fingerprint', reason: 'leaf_mismatch' })
  expect(gateway.connections.map(({ text }) => text).join('')).toBe('')
  await vi.waitFor(() => expect(proxy.open.size).toBe(0))
})

test.each([
  ['that wants a password', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'],
  ['that speaks before TLS does', 'HTTP/1.1 200 OK\r\n\r\nhello'],
  ['that speaks no HTTP', 'SSH-2.0\r\n'],
])('a proxy %s is told from the endpoint: nothing could be reached', async (_, answer) => {
  const { proxy, gateway, target } = await startWorld()
  proxy.answer((client) => client.end(answer))
  await expect(dial(target, { signal: AbortSignal.timeout(5_000) })).rejects.toMatchObject({
    name: 'DialError',
    reason: 'unreachable',
  })
  expect(gateway.accepted).toBe(0)
})

test('a proxy that never answers is given up, and one that has answered is not cut off later', async () => {
  const { proxy, target } = await startWorld()
  proxy.answer(() => {})
  await expect(dial(target, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ reason: 'timeout' })
  proxy.answer((_, pass) => pass())
  const late = new AbortController()
  const { socket } = await dial(target, { signal: late.signal })
  late.abort()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const piece of socket) text += piece
  expect(text).toContain('hello')
  discard(socket)
})
