import { connect as tlsConnect } from 'node:tls'
import { Pool, request } from 'undici'
import { afterEach, expect, test, vi } from 'vitest'
import type { DialOptions } from '../connection/dial.ts'
import { type Gateway, startGateway } from '../testing/gateway.ts'
import { createIdentity, HOSTNAME } from '../testing/identity.ts'
import { createConnector } from './pinned.ts'

const first = createIdentity()
const second = createIdentity()
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function startWorld(connect?: DialOptions['connect']) {
  const gateway = await startGateway(first, (_, response) => void response.end('hello'))
  const target = { hostname: HOSTNAME, host: '127.0.0.1', port: gateway.port }
  const connector = createConnector(target, first.fingerprint, connect && { connect })
  const pool = new Pool(`https://${HOSTNAME}:${gateway.port}`, { connect: connector, allowH2: false })
  open.push(gateway, { close: () => pool.destroy() })
  return { gateway, pool }
}

/** One request with the kind of header that must not leak, on a connection of its own. */
async function ask(pool: Pool): Promise<string> {
  const headers = { authorization: 'Bearer canary', connection: 'close' }
  const { body } = await pool.request({ path: '/', method: 'GET', headers })
  return body.text()
}

/** Waits until so many connections have come, and all of them have gone. */
async function settled(gateway: Gateway, accepted: number): Promise<void> {
  await vi.waitFor(() => expect([gateway.accepted, gateway.open.size]).toEqual([accepted, 0]))
}

test('a connection that shows the expected certificate gets the request', async () => {
  const { gateway, pool } = await startWorld()
  expect(await ask(pool)).toBe('hello')
  expect(gateway.connections[0]?.text).toContain('Bearer canary')
})

test('a later connection that shows another certificate is sent not one byte (V-02)', async () => {
  const { gateway, pool } = await startWorld()
  await ask(pool)
  gateway.rotate(second)
  await expect(ask(pool)).rejects.toMatchObject({ stage: 'tls-fingerprint', reason: 'leaf_mismatch' })
  await settled(gateway, 2)
  const withText = gateway.connections.filter(({ text }) => text !== '')
  expect(withText.map(({ leaf }) => leaf)).toEqual([first.fingerprint])
})

test('no session is ever resumed, though the server offers tickets', async () => {
  const { gateway, pool } = await startWorld()
  for (let count = 0; count < 3; count++) await ask(pool)
  expect(gateway.connections.map(({ isResumed }) => isResumed)).toEqual([false, false, false])
})

test('a session that was resumed all the same is sent not one byte', async () => {
  let session: Buffer | undefined
  // Does what stock clients do: offers the session of the connection before.
  const connect = ((options: object) => {
    const socket = tlsConnect({ ...options, ...(session && { session }) })
    return socket.on('session', (ticket) => {
      session = ticket
    })
  }) as typeof tlsConnect
  const { gateway, pool } = await startWorld(connect)
  await ask(pool)
  gateway.rotate(second)
  await expect(ask(pool)).rejects.toMatchObject({ stage: 'tls-fingerprint', reason: 'leaf_not_observed' })
  await settled(gateway, 2)
  expect(gateway.connections.filter(({ text }) => text !== '')).toHaveLength(1)
})

test('stock undici does not look at the certificate of a resumed session; should that change, look here', async () => {
  const { gateway } = await startWorld()
  let looks = 0
  const stock = new Pool(`https://127.0.0.1:${gateway.port}`, {
    allowH2: false,
    connect: { ca: first.pem, servername: HOSTNAME, checkServerIdentity: () => void looks++ },
  })
  open.push({ close: () => stock.destroy() })
  for (let count = 0; count < 2; count++) {
    const { body } = await request(`https://127.0.0.1:${gateway.port}`, { dispatcher: stock, reset: true })
    await body.text()
  }
  expect(gateway.connections.map(({ isResumed }) => isResumed)).toEqual([false, true])
  expect(looks).toBe(1)
})
