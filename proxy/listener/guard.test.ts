import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Ask, ask, closeWorlds, send, startWorld, type World } from '../testing/world.ts'

afterEach(closeWorlds)

const LISTED = 'https://app.example'

async function expectForbidden(world: World, asked: Ask): Promise<void> {
  const { status, headers, text } = await ask(world, { method: 'POST', body: '{}', ...asked })
  expect(status).toBe(403)
  expect(JSON.parse(text)).toEqual({
    error: { message: expect.any(String), type: 'permission_error', code: 'forbidden_origin' },
  })
  expect(headers).not.toHaveProperty('x-proxy-verdict')
  expect(headers).not.toHaveProperty('access-control-allow-origin')
  expect(world.gateway.accepted).toBe(0)
}

test.each(['127.0.0.1', '127.0.0.1:8484', 'localhost:8484', 'LOCALHOST', '[::1]:8484', '127.8.8.8'])(
  'a request to the host %s is this machine’s own',
  async (host) => {
    expect((await ask(await startWorld(), { headers: { host } })).status).toBe(200)
  },
)

test.each([
  'evil.example',
  'evil.example:8484',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '192.168.1.2',
  '0.0.0.0',
  '[::2]',
  'user@127.0.0.1',
  '127.0.0.1:port',
])('a request to the host %j is refused, as a name bound anew would be (V-11)', async (host) => {
  await expectForbidden(await startWorld(), { headers: { host } })
})

test.each([
  'https://evil.example',
  'null',
  'http://127.0.0.1:8484',
  `${LISTED}.evil.example`,
  `${LISTED}:8443`,
])('a page of the origin %s is refused (V-11)', async (origin) => {
  await expectForbidden(await startWorld({ listen: { origins: [LISTED] } }), { headers: { origin } })
})

test('a page of a listed origin may call, and its preflight is the router’s to answer', async () => {
  const world = await startWorld({
    listen: { origins: [LISTED] },
    script: (_, response) => void response.writeHead(204, { 'access-control-allow-origin': LISTED }).end(),
  })
  const headers = { origin: LISTED, 'access-control-request-method': 'POST' }
  const reply = await ask(world, { method: 'OPTIONS', headers })
  expect(reply).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': LISTED } })
  expect(world.gateway.requests[0]?.headers).toMatchObject(headers)
})

test.each(['GET', 'HEAD', 'POST', 'OPTIONS'])(
  'a %s that a page of another site causes is refused, though it names no origin',
  async (method) => {
    const world = await startWorld({ listen: { origins: [LISTED] } })
    const headers = { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/page' }
    const { status, headers: answered } = await ask(world, { method, headers })
    expect(status).toBe(403)
    expect(answered).not.toHaveProperty('x-proxy-verdict')
    expect(world.gateway.requests).toHaveLength(0)
  },
)

test.each([
  ['a page of a listed origin', { origin: LISTED, 'sec-fetch-site': 'cross-site' }],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['a page of this site', { 'sec-fetch-site': 'same-origin' }],
])('what %s causes passes', async (_, headers) => {
  const world = await startWorld({ listen: { origins: [LISTED] } })
  expect((await ask(world, { headers })).status).toBe(200)
})

test('a page of a listed origin can read the proxy’s own refusals', async () => {
  const world = await startWorld({ listen: { origins: [LISTED] } })
  await world.gateway.close()
  const { status, headers } = await ask(world, { headers: { origin: LISTED } })
  expect(status).toBe(502)
  expect(headers).toMatchObject({ 'access-control-allow-origin': LISTED, vary: 'Origin' })
})

test.each([
  'GET http://127.0.0.1/v1/models HTTP/1.1\r\nHost: 127.0.0.1',
  'OPTIONS * HTTP/1.1\r\nHost: localhost',
  'GET /v1/models HTTP/1.1',
  'GET /v1/models HTTP/1.1\r\nHost:',
  'GET /v1/models HTTP/1.0',
])('a request such as %j is not for this listener', async (head) => {
  const world = await startWorld()
  const socket = connect(world.port, '127.0.0.1')
  socket.end(`${head}\r\nConnection: close\r\n\r\n`)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  await once(socket, 'close')
  expect(text).toMatch(/^HTTP\/1\.1 403 /)
  expect(world.gateway.accepted).toBe(0)
})

test('a listener with a token takes any host, and nobody without the token', async () => {
  const token = '0123456789abcdef'
  const world = await startWorld({ listen: { token } })
  const headers = { host: 'workstation.example' }
  await expectForbidden(world, { headers })
  await expectForbidden(world, { headers: { ...headers, 'x-proxy-token': `${token}0` } })
  expect((await send(world, { headers: { ...headers, 'x-proxy-token': token } })).statusCode).toBe(200)
  expect(world.gateway.requests[0]?.headers).not.toHaveProperty('x-proxy-token')
})
