import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { buildConnector } from 'undici'
import request from 'undici/lib/api/api-request.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StackedPool } from './stacked-pool.ts'

let server: Server
let pool: StackedPool
/** Answers that wait for their test, by the path that was asked for. */
let held: Map<string, ServerResponse>
let dialled: Socket[]
let refusals: number

/** A path that begins so is answered when the test says so. */
const HELD = '/held/'

beforeEach(async () => {
  held = new Map()
  dialled = []
  refusals = 0
  server = createServer(({ url = '', socket }, response) => {
    if (url.startsWith(HELD)) held.set(url, response)
    else response.end(String(socket.remotePort))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  pool = new StackedPool(origin(), { connect: dial, bodyTimeout: 0, headersTimeout: 0 })
})

afterEach(async () => {
  await pool.destroy()
  server.closeAllConnections()
  server.close()
})

const portOf = () => (server.address() as AddressInfo).port
const origin = () => `http://127.0.0.1:${portOf()}`

const dial: buildConnector.connector = (_, callback) => {
  if (refusals > 0) {
    refusals -= 1
    callback(new Error('refused'), null)
    return
  }
  const socket = connect(portOf(), '127.0.0.1')
  dialled.push(socket)
  socket.once('connect', () => callback(null, socket))
}

/** Asks for a path; the answer to one that is not held is the port of the connection that it came by. */
async function get(path = '/'): Promise<string> {
  const { body } = await request.call(pool, { path, method: 'GET' })
  const text = await body.text()
  // undici has a connection rest for a turn: a server may close it although it said that it would not.
  await turn()
  return text
}

/** Asks for a path whose answer waits; resolves once it has been heard. */
async function hold(path: string): Promise<() => Promise<unknown>> {
  const answer = get(path)
  await expect.poll(() => held.get(path)).toBeDefined()
  return async () => {
    held.get(path)!.end()
    return await answer
  }
}

test('requests one after the other share one connection', async () => {
  const ports = new Set<string>()
  for (let count = 0; count < 20; count += 1) ports.add(await get())
  expect(ports.size).toBe(1)
  expect(dialled).toHaveLength(1)
})

test('no request waits for another one’s connection, and those that are free are used again', async () => {
  const endings = []
  for (let count = 0; count < 10; count += 1) endings.push(await hold(`${HELD}${count}`))
  expect(dialled).toHaveLength(10)
  for (const end of endings) await end()
  await Promise.all(Array.from({ length: 10 }, () => get()))
  expect(dialled).toHaveLength(10)
})

test('the connection that became free last serves next', async () => {
  const endFirst = await hold(`${HELD}first`)
  const endSecond = await hold(`${HELD}second`)
  const [first, second] = dialled.map(({ localPort }) => String(localPort))
  await endFirst()
  await endSecond()
  expect(await get()).toBe(second)
  const endThird = await hold(`${HELD}third`)
  expect(await get()).toBe(first)
  await endThird()
  expect(await get()).toBe(second)
})

test('a connection that the server has closed is made anew, when nothing else is free', async () => {
  const before = await get()
  dialled[0]!.destroy()
  await once(dialled[0]!, 'close')
  expect(await get()).not.toBe(before)
  expect(dialled).toHaveLength(2)
})

test('a request whose connection does not come about fails, and others go on', async () => {
  const end = await hold(`${HELD}running`)
  refusals = 1
  await expect(get()).rejects.toThrow('refused')
  expect(await get()).toBe(String(dialled[1]!.localPort))
  await end()
})

test('once it is closed, what runs may end and nothing new begins', async () => {
  const end = await hold(`${HELD}running`)
  const closed = pool.close()
  await expect(get()).rejects.toThrow('closed')
  await end()
  await closed
  expect(dialled[0]!.destroyed).toBe(true)
})
