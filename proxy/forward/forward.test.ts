import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { ask, closeWorlds, readAll, send, startWorld, type World } from '../testing/world.ts'

afterEach(closeWorlds)

/** Header names and values as the gateway received them. */
function received(world: World): Record<string, string | string[] | undefined> {
  return world.gateway.requests.at(-1)!.headers
}

test('a request arrives as it was sent, but for what belongs to the connection', async () => {
  const world = await startWorld()
  await ask(world, {
    method: 'POST',
    path: '/v1/chat/completions?a=b%2Fc&d',
    body: '{"model":"a/b"}',
    headers: {
      Authorization: 'Bearer sk-tee-v1-canary',
      'X-Proxy-Verdict': 'allow',
      'x-proxy-anything': 'secret',
      'X-Stainless-Lang': 'js',
      'Accept-Encoding': 'gzip, br',
      Connection: 'keep-alive, X-Hop',
      'X-Hop': 'dropped',
      TE: 'trailers',
      'Proxy-Authorization': 'Basic canary',
      'Content-Length': '15',
    },
  })
  const [request] = world.gateway.requests
  expect(request).toMatchObject({ method: 'POST', url: '/v1/chat/completions?a=b%2Fc&d' })
  expect(received(world)).toEqual({
    authorization: 'Bearer sk-tee-v1-canary',
    'x-stainless-lang': 'js',
    'accept-encoding': 'gzip, br',
    'content-length': '15',
    connection: 'keep-alive',
    host: `${HOSTNAME}:${world.gateway.port}`,
  })
  expect(world.gateway.connections[0]?.text).toMatch(/\r\n\r\n\{"model":"a\/b"\}$/)
})

test('nothing about the verdict goes upstream', async () => {
  const world = await startWorld()
  await ask(world)
  expect(world.gateway.connections[0]?.text.toLowerCase()).not.toMatch(/verdict|x-proxy|sha256/)
})

test('an answer arrives as it was given, with the verdict in place of the upstream’s own', async () => {
  const world = await startWorld({
    script: (_, response) => {
      response.writeHead(201, 'Made', [
        ...[
          'X-Proxy-Verdict',
          'deny',
          'X-Router-Generation-Id',
          'gen-1',
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
        ],
        ...[
          'Content-Encoding',
          'gzip',
          'Connection',
          'close, X-Hop',
          'X-Hop',
          'dropped',
          'Content-Length',
          '5',
        ],
      ])
      response.end('bytes')
    },
  })
  const response = await send(world)
  expect(response).toMatchObject({ statusCode: 201, statusMessage: 'Made' })
  expect(response.headers).toMatchObject({
    'x-proxy-verdict': 'allow',
    'x-router-generation-id': 'gen-1',
    'set-cookie': ['a=1', 'b=2'],
    'content-encoding': 'gzip',
    'content-length': '5',
  })
  expect(response.headers).not.toHaveProperty('x-hop')
  expect(await readAll(response)).toBe('bytes')
})

test.each([401, 404, 429, 500, 502, 503])('a %s of the router says allow as well', async (status) => {
  const body = '{"error":{"message":"no","type":"x","code":"y"}}'
  const world = await startWorld({ script: (_, response) => void response.writeHead(status).end(body) })
  const reply = await ask(world)
  expect(reply).toMatchObject({ status, text: body, headers: { 'x-proxy-verdict': 'allow' } })
})

test('HEAD, 204 and 304 have no body', async () => {
  const world = await startWorld({
    script: (request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '27' })
      else response.writeHead(request.url === '/v1/a' ? 204 : 304)
      response.end()
    },
  })
  expect(await ask(world, { method: 'HEAD' })).toMatchObject({
    status: 200,
    text: '',
    headers: { 'content-length': '27' },
  })
  expect(await ask(world, { path: '/v1/a' })).toMatchObject({ status: 204, text: '' })
  expect(await ask(world, { path: '/v1/b' })).toMatchObject({ status: 304, text: '' })
})

test('connections are used again', async () => {
  const world = await startWorld()
  for (let count = 0; count < 5; count++) await ask(world)
  expect(world.gateway.accepted).toBe(1)
})

test('what is not HTTP gets the contract’s error', async () => {
  const world = await startWorld()
  const socket = connect(world.port, '127.0.0.1')
  socket.write('NONSENSE\r\n\r\n')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  await once(socket, 'close')
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ error: { type: 'invalid_request_error' } })
})
