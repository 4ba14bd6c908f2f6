import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { HOSTNAME, startWorld } from './test-support.ts'

const requestOf = (...fields: string[]) =>
  ['GET /v1/models HTTP/1.1', `Host: ${HOSTNAME}`, ...fields, '', ''].join('\r\n')
const LAST = requestOf('Connection: close')

const statusesIn = (said: string) => [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

/** A router whose answers the test ends. */
function answers() {
  const begun: ServerResponse[] = []
  return { begun, router: (_: unknown, response: ServerResponse) => void begun.push(response) }
}

test('one request of a connection goes on at a time, whatever it sends ahead, and each is answered', async () => {
  let [running, most] = [0, 0]
  const { connect } = await startWorld((_, response) => {
    most = Math.max(most, ++running)
    response.on('close', () => running--)
    setImmediate(() => response.end('ok'))
  })
  const socket = await connect()
  socket.write(`${requestOf(`X-Padding: ${'x'.repeat(2_000)}`).repeat(1_000)}${LAST}`)
  expect(statusesIn(await text(socket))).toEqual(Array(1_001).fill('200'))
  expect(most).toBe(1)
})

test('little more of a connection is read than what may stand ahead', async () => {
  const { begun, router } = answers()
  const { connect, fetchEvidence } = await startWorld(router)
  const socket = await connect()
  socket.on('error', () => {})
  const written = vi.fn()
  // More than the buffers of two sockets hold.
  socket.write(requestOf(`X-Padding: ${'x'.repeat(8_000)}`).repeat(4_000), written)
  await vi.waitUntil(() => begun.length === 1)
  // So long that all of it would have been read.
  for (let turn = 0; turn < 20; turn++) await fetchEvidence()
  expect(written).not.toHaveBeenCalled()
  expect(begun).toHaveLength(1)
  socket.destroy()
})

test('what waited for its turn when its client left goes nowhere, and holds up no end', async () => {
  const { begun, router } = answers()
  const { connect, gateway } = await startWorld(router)
  const socket = await connect()
  socket.write(requestOf().repeat(50))
  await vi.waitUntil(() => begun.length === 1)
  socket.destroy()
  await once(begun[0]!, 'close')
  const begunMs = performance.now()
  await gateway.close()
  expect(performance.now() - begunMs).toBeLessThan(5_000)
  expect(begun).toHaveLength(1)
})

test.each([
  ['no request', 'nonsense\r\n\r\n', '400', 'invalid_json'],
  ['headers that are too large', requestOf(`X-Padding: ${'x'.repeat(17_000)}`), '431', 'headers_too_large'],
])('%s is refused as the contract has it', async (_, bytes, status, code) => {
  const { connect } = await startWorld()
  const socket = await connect()
  socket.write(bytes)
  const said = await text(socket)
  expect(statusesIn(said)).toEqual([status])
  expect(JSON.parse(said.slice(said.indexOf('{')))).toMatchObject({ error: { code } })
})

test('bytes that are no request are told nothing where an answer is owed', async () => {
  const { begun, router } = answers()
  const { connect } = await startWorld(router)
  const socket = await connect()
  socket.write(requestOf())
  await vi.waitUntil(() => begun.length === 1)
  socket.write('nonsense\r\n\r\n')
  expect(await text(socket)).toBe('')
})
