import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { limits } from '#contract/limits'
import { startGateway } from '../testing/gateway.ts'
import { createIdentity, HOSTNAME } from '../testing/identity.ts'
import { fetchBundle, UnfinishedFetch } from './fetch.ts'

const identity = createIdentity()
const open: { close(): unknown }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

function targetAt(port: number) {
  return { hostname: HOSTNAME, host: '127.0.0.1', port }
}

async function listenOn(server: Server): Promise<number> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** What a fetch of this port ends with: stage, reason, and whether it counts as a result. */
async function refusalFrom(port: number, timeoutMs?: number): Promise<[string, string, boolean]> {
  const error = await fetchBundle(targetAt(port), timeoutMs === undefined ? {} : { timeoutMs }).catch(
    (thrown) => thrown,
  )
  if (!(error instanceof AttestationError)) throw new Error('not refused', { cause: error })
  return [error.stage, String(error.reason), !(error instanceof UnfinishedFetch)]
}

test('a bundle comes as it was published, with the certificate of its own connection', async () => {
  const gateway = await startGateway(identity, (_, response) => void response.end('{"any":"bytes"}\n'))
  open.push(gateway)
  const { bytes, observedLeaf } = await fetchBundle(targetAt(gateway.port))
  expect(Buffer.from(bytes).toString()).toBe('{"any":"bytes"}\n')
  expect(observedLeaf).toBe(identity.fingerprint)
  const [request] = gateway.requests
  expect(request).toMatchObject({ method: 'GET', url: '/.well-known/platform-evidence' })
  expect(request?.headers.host).toBe(`${HOSTNAME}:${gateway.port}`)
})

test('each fetch opens a connection of its own and resumes none', async () => {
  const gateway = await startGateway(identity, (_, response) => void response.end('{}'))
  open.push(gateway)
  for (let count = 0; count < 3; count++) await fetchBundle(targetAt(gateway.port))
  expect(gateway.connections.map(({ isResumed }) => isResumed)).toEqual([false, false, false])
})

const MEBIBYTE = 1_048_576

const answers: [string, RequestListener, string, boolean][] = [
  ['a 404', (_, response) => void response.writeHead(404).end(), 'http_status', true],
  ['a 204', (_, response) => void response.writeHead(204).end(), 'http_status', true],
  ['a 500', (_, response) => void response.writeHead(500).end(), 'http_status', false],
  ['a 503', (_, response) => void response.writeHead(503).end(), 'http_status', false],
  ['a 429', (_, response) => void response.writeHead(429).end(), 'http_status', false],
  ['a 301', (_, response) => void response.writeHead(301, { location: '/other' }).end(), 'redirected', true],
  ['a 307', (_, response) => void response.writeHead(307, { location: '/other' }).end(), 'redirected', true],
  ['more than 1 MiB', (_, response) => void response.end(Buffer.alloc(MEBIBYTE + 1)), 'too_large', true],
  [
    'a body that breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => response.destroy())
    },
    'unreachable',
    false,
  ],
]

test.each(answers)('%s is refused and not followed', async (_, script, reason, isResult) => {
  const gateway = await startGateway(identity, script)
  open.push(gateway)
  expect(await refusalFrom(gateway.port)).toEqual(['fetch', reason, isResult])
  expect(gateway.requests).toHaveLength(1)
})

test('exactly 1 MiB is still taken', async () => {
  const gateway = await startGateway(identity, (_, response) => void response.end(Buffer.alloc(MEBIBYTE)))
  open.push(gateway)
  expect((await fetchBundle(targetAt(gateway.port))).bytes).toHaveLength(MEBIBYTE)
})

test('a port where nobody listens is unreachable, which is no result', async () => {
  const server = createServer()
  const port = await listenOn(server)
  server.close()
  await once(server, 'close')
  expect(await refusalFrom(port)).toEqual(['fetch', 'unreachable', false])
})

test('a name that does not exist is unreachable, which is no result', async () => {
  const target = { hostname: HOSTNAME, host: 'no-such-host.invalid', port: 443 }
  const error = await fetchBundle(target).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UnfinishedFetch)
  expect(error).toMatchObject({ stage: 'fetch', reason: 'unreachable' })
})

test('a server without TLS fails the handshake, which is no result', async () => {
  const port = await listenOn(createHttpServer((_, response) => void response.end('{}')))
  expect(await refusalFrom(port)).toEqual(['fetch', 'tls_failed', false])
})

test('a server of an older TLS fails the handshake', async () => {
  const options = { key: identity.pem, cert: identity.pem, maxVersion: 'TLSv1.2' } as const
  const port = await listenOn(createTlsServer(options).on('tlsClientError', () => {}))
  expect(await refusalFrom(port)).toEqual(['fetch', 'tls_failed', false])
})

test('a server that closes during the handshake fails it', async () => {
  const port = await listenOn(createServer((socket) => void socket.once('data', () => socket.destroy())))
  expect(await refusalFrom(port)).toEqual(['fetch', 'tls_failed', false])
})

test('what is not HTTP is no JSON either', async () => {
  const options = { key: identity.pem, cert: identity.pem }
  const server = createTlsServer(options, (socket) => void socket.on('error', () => {}).end('220 mail\r\n'))
  expect(await refusalFrom(await listenOn(server))).toEqual(['fetch', 'not_json', true])
})

const slow: [string, (port: Promise<number>) => Promise<number>][] = [
  ['does not shake hands', () => listenOn(createServer((socket) => void socket.on('error', () => {})))],
  [
    'does not answer',
    async () => {
      const gateway = await startGateway(identity, () => {})
      open.push(gateway)
      return gateway.port
    },
  ],
  [
    'drips',
    async () => {
      const gateway = await startGateway(identity, (_, response) => {
        const drip = setInterval(() => response.write(' '), 10)
        response.once('close', () => clearInterval(drip))
      })
      open.push(gateway)
      return gateway.port
    },
  ],
]

test.each(slow)('a server that %s is given up in time, which is no result', async (_, start) => {
  expect(await refusalFrom(await start(Promise.resolve(0)), 150)).toEqual(['fetch', 'timeout', false])
})

test('a body without an end of its own is read no further than any bundle, to tell whether it is whole', async () => {
  const body = `{"a":[${'0,'.repeat(limits.maxEnvelopeParts)}`
  const options = { key: identity.pem, cert: identity.pem }
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => {}).end(`HTTP/1.1 200 OK\r\n\r\n${body}`)
  })
  const { bytes } = await fetchBundle(targetAt(await listenOn(server)))
  expect(Buffer.from(bytes).toString()).toBe(body)
})
