import { once } from 'node:events'
import { request } from 'node:https'
import { connect as dial } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { expect, test, vi } from 'vitest'
import { isErrorBody } from '#contract/validators/error-body'
import { isEvidenceBundle } from '#contract/validators/evidence-bundle'
import { startGateway } from './gateway.ts'
import { createLog } from './log.ts'
import {
  configFor,
  HOSTNAME,
  lasting,
  leafOf,
  readEvidence,
  startWorld,
  temporaryFolder,
  textOf,
} from './test-support.ts'

const EVIDENCE = '/.well-known/platform-evidence'

test('The evidence path answers the signed bundle without a key, and says no-store', async () => {
  const { send } = await startWorld()
  const answer = await send(EVIDENCE)
  const bundle: unknown = JSON.parse(await textOf(answer))
  expect(answer.statusCode).toBe(200)
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  expect(isEvidenceBundle(bundle)).toBe(true)
  expect(bundle).toMatchObject({ version: 1, kind: 'DeploymentEvidence', hostname: HOSTNAME })
})

test('HEAD answers the header of GET', async () => {
  const { send } = await startWorld()
  const get = await send(EVIDENCE)
  const head = await send(EVIDENCE, { method: 'HEAD' })
  expect(lasting(head.headers)).toEqual(lasting(get.headers))
  expect(await textOf(head)).toBe('')
})

test.each(['GET', 'OPTIONS', 'POST'])(
  '%s of the evidence from a page sends no CORS header',
  async (method) => {
    const { send } = await startWorld()
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    const answer = await send(EVIDENCE, { method, headers })
    expect(Object.keys(answer.headers).filter((name) => /^access-control|^vary$/.test(name))).toEqual([])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.statusCode).toBe(method === 'GET' ? 200 : 404)
  },
)

test('Any other method of the evidence path is refused in the shape of the contract, and not forwarded', async () => {
  const router = vi.fn()
  const { send } = await startWorld(router)
  const answer = await send(EVIDENCE, { method: 'DELETE' })
  const body: unknown = JSON.parse(await textOf(answer))
  expect(isErrorBody(body)).toBe(true)
  expect(body).toMatchObject({ error: { type: 'invalid_request_error', code: 'not_found' } })
  expect(router).not.toHaveBeenCalled()
})

test('TLS 1.3 is the only version that is spoken', async () => {
  const { connect } = await startWorld()
  const socket = await connect()
  expect(socket.getProtocol()).toBe('TLSv1.3')
  socket.destroy()
  await expect(connect({ maxVersion: 'TLSv1.2' })).rejects.toThrow()
})

test('While signing is held, the bundle is the same byte for byte', async () => {
  const { fetchEvidence, control } = await startWorld(undefined, { resignIntervalMs: 20 })
  const { json } = await control('POST', '/hold')
  expect(json.held).toBe(true)
  const { text } = await fetchEvidence()
  const { json: later } = await control('GET', '/state')
  expect((await fetchEvidence()).text).toBe(text)
  expect(later.issuedAt).toBe(JSON.parse(text).issuedAt)
})

test('The bundle is signed anew by itself, later each time, and says the same', async () => {
  const { fetchEvidence, control } = await startWorld(undefined, { resignIntervalMs: 20 })
  const { bundle: first } = await fetchEvidence()
  await vi.waitUntil(async () => (await fetchEvidence()).bundle.issuedAt > first.issuedAt)
  await control('POST', '/hold')
  const { bundle: held } = await fetchEvidence()
  await control('POST', '/release')
  await vi.waitUntil(async () => (await fetchEvidence()).bundle.issuedAt > held.issuedAt)
  expect(held).toMatchObject({ certFingerprint: first.certFingerprint, certChain: first.certChain })
})

test('In an atomic rotation of the leaf no connection sees a bundle that names another one', async () => {
  const { connect, control } = await startWorld()
  const seen = new Set<string>()
  const mismatches: string[] = []
  let connections = 0
  let rotating = true
  const look = async (): Promise<void> => {
    while (rotating) {
      const socket = await connect()
      const leaf = leafOf(socket)
      // The rotation may come between the handshake and the request.
      for (let turns = connections % 5; turns > 0; turns -= 1) await turn()
      const { certFingerprint } = JSON.parse(await readEvidence(socket))
      if (certFingerprint !== leaf) mismatches.push(leaf)
      seen.add(leaf)
      connections += 1
    }
  }
  const lookers = Array.from({ length: 4 }, look)
  for (let turns = 0; turns < 25; turns += 1) expect((await control('POST', '/rotate/leaf')).status).toBe(200)
  rotating = false
  await Promise.all(lookers)
  expect(mismatches).toEqual([])
  expect(connections).toBeGreaterThan(20)
  expect(seen.size).toBeGreaterThan(5)
})

test('A connection from before a rotation is told of its own leaf, and then closed', async () => {
  const { connect, control, fetchEvidence } = await startWorld()
  const socket = await connect()
  const before = leafOf(socket)
  await control('POST', '/rotate/leaf')
  socket.write(`GET ${EVIDENCE} HTTP/1.1\r\nHost: ${HOSTNAME}\r\n\r\n`)
  const text = await textOf(socket)
  expect(text).toMatch(/^Connection: close\r$/m)
  expect(text).toContain(`"certFingerprint":"${before}"`)
  const { leaf, bundle } = await fetchEvidence()
  expect(leaf).not.toBe(before)
  expect(bundle.certFingerprint).toBe(leaf)
})

test('A connection whose handshake ends after a rotation is told of the leaf that it was shown', async () => {
  const { connect, control } = await startWorld()
  const first = await connect()
  const before = leafOf(first)
  const raw = dial(first.remotePort!, '127.0.0.1')
  await once(raw, 'connect')
  first.destroy()
  // The gateway takes connections in their order.
  const behind = await connect()
  behind.destroy()
  await control('POST', '/rotate/leaf')
  const socket = await connect({ socket: raw })
  expect(leafOf(socket)).toBe(before)
  socket.write(`GET ${EVIDENCE} HTTP/1.1\r\nHost: ${HOSTNAME}\r\n\r\n`)
  const text = await textOf(socket)
  expect(text).toMatch(/^Connection: close\r$/m)
  expect(text).toContain(`"certFingerprint":"${before}"`)
})

test('A rotation that is not signed yet shows the new leaf beside the old bundle until it is signed', async () => {
  const { control, fetchEvidence } = await startWorld()
  const before = await fetchEvidence()
  const { json } = await control('POST', '/rotate/leaf?resign=later')
  const between = await fetchEvidence()
  expect(between.text).toBe(before.text)
  expect(between.leaf).not.toBe(before.leaf)
  expect(json).toMatchObject({ fingerprint: between.leaf, certFingerprint: before.leaf })
  await control('POST', '/resign')
  const after = await fetchEvidence()
  expect(after.leaf).toBe(between.leaf)
  expect(after.bundle.certFingerprint).toBe(between.leaf)
})

test('A session of the leaf before cannot be resumed', async () => {
  const { connect, control } = await startWorld()
  const first = await connect()
  const session = await sessionOf(first)
  const resumed = await connect({ session })
  expect(resumed.isSessionReused()).toBe(true)
  resumed.write(`GET ${EVIDENCE} HTTP/1.1\r\nHost: ${HOSTNAME}\r\n\r\n`)
  const [answer] = await once(resumed, 'data')
  expect(String(answer)).toMatch(/^Connection: keep-alive\r$/m)
  await control('POST', '/rotate/leaf')
  const second = await connect({ session })
  expect(second.isSessionReused()).toBe(false)
  expect(leafOf(second)).not.toBe(leafOf(first))
  for (const socket of [first, resumed, second]) socket.destroy()
})

test('Running streams end on the connection they began on, whatever is rotated', async () => {
  const ends: (() => void)[] = []
  const { send, control } = await startWorld((_, response) => {
    response.write('data: 1\n\n')
    ends.push(() => response.end('data: [DONE]\n\n'))
  })
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => send('/v1/chat/completions', { agent: false })),
  )
  for (const what of ['leaf', 'signer', 'deployment', 'leaf']) await control('POST', `/rotate/${what}`)
  const texts = streams.map((stream) => textOf(stream))
  for (const end of ends) end()
  expect(await Promise.all(texts)).toEqual(streams.map(() => 'data: 1\n\ndata: [DONE]\n\n'))
})

test('A request on a connection from before a rotation is answered, and the client told to reconnect', async () => {
  const { send, control } = await startWorld()
  const before = await send('/v1/models')
  const socket = before.socket as TLSSocket
  const leaf = leafOf(socket)
  await textOf(before)
  await control('POST', '/rotate/leaf')
  const old = await send('/v1/models')
  expect(old.socket).toBe(socket)
  expect(old.headers.connection).toBe('close')
  expect(old.statusCode).toBe(200)
  await textOf(old)
  const next = await send('/v1/models')
  expect(leafOf(next.socket as TLSSocket)).not.toBe(leaf)
  expect(next.headers.connection).toBe('keep-alive')
})

test('Closing lets a running stream end and takes no new connection', async () => {
  let end = (): void => undefined
  const { gateway, send, port, root } = await startWorld((_, response) => {
    response.write('data: 1\n\n')
    end = () => void response.end('data: [DONE]\n\n')
  })
  const stream = await send('/v1/chat/completions')
  const closed = gateway.close()
  const refused = request({ host: '127.0.0.1', port, ca: root, servername: HOSTNAME, path: EVIDENCE })
  refused.end()
  const [error] = await once(refused, 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  end()
  expect(await textOf(stream)).toBe('data: 1\n\ndata: [DONE]\n\n')
  await closed
})

async function sessionOf(socket: TLSSocket): Promise<Buffer> {
  const [session] = await once(socket, 'session')
  return session
}

test('A root that was made while the clock was ahead is told at the start, with what to do', async () => {
  const dataDir = temporaryFolder()
  const started = async (time: Date): Promise<string[]> => {
    const lines: string[] = []
    const log = createLog(
      (line) => void lines.push(line),
      () => time,
    )
    await (await startGateway(configFor(dataDir), { now: () => time, log })).close()
    return lines.filter((line) => JSON.parse(line).level === 'warn')
  }
  expect(await started(new Date('2030-06-01T00:00:00Z'))).toEqual([])
  expect(await started(new Date('2030-01-01T00:00:00Z'))).toEqual([
    expect.stringMatching(/certificate_not_yet_valid.*delete the folder.*root\.pem/),
    expect.stringMatching(/issued_in_future.*issued-at/),
  ])
})
