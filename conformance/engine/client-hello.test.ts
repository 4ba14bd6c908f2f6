import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certify, createAuthorities } from '../../platform/certificates/authority.ts'
import { generateKeys } from '../../platform/certificates/keys.ts'
import { createWire, type Wire } from '../stand-ins/wire/wire.ts'
import { offersSession } from './client-hello.ts'

const server = createServer()
let wire: Wire

beforeAll(async () => {
  const now = new Date()
  const { privateKey, publicKey } = await generateKeys('ES256')
  const [authority] = await createAuthorities('Intel TDX (QEMU)', now)
  const leaf = certify(authority, publicKey, 'tls', 'a.localhost', now)
  server.setSecureContext({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: leaf.toString() })
  server.on('secureConnection', (socket) => socket.end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  wire = await createWire(() => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }))
})

afterAll(async () => {
  await wire.close()
  server.close()
})

/** Connects through the wire; gives the session that the server hands out. */
async function meet(session?: Buffer): Promise<Buffer | undefined> {
  let given: Buffer | undefined
  const socket = connect({ port: wire.port, rejectUnauthorized: false, ...(session && { session }) })
  socket.on('session', (ticket) => {
    given = ticket
  })
  socket.resume()
  await once(socket, 'close')
  return given
}

test('a connection that offers an earlier session is told from one that does not', async () => {
  const session = await meet()
  expect(offersSession(wire.tap.beginnings.at(-1)!)).toBe(false)
  await meet(session)
  expect(offersSession(wire.tap.beginnings.at(-1)!)).toBe(true)
})

test('bytes that are no ClientHello fail the product', () => {
  expect(() => offersSession(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toThrow(
    'does not begin with a ClientHello',
  )
})
