import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBodyMemory } from '../bodies/body-memory.ts'
import { ApiError } from '../errors.ts'
import { Overload } from '../overload/overload.ts'
import { SpotTime } from '../reading/spot-time.ts'
import { OutageError } from '../store/outage.ts'
import { type InferenceDependencies, serveInference } from './inference.ts'

const KEY = `sk-tee-v1-${'A'.repeat(43)}`

/** A router that knows no key, and tells whatever it throws by a 401. */
async function start(dependencies: Partial<InferenceDependencies> = {}): Promise<number> {
  const memory = createBodyMemory(1_000_000, 100_000)
  const edition = {
    memory,
    config: { limits: { maxBodyBytes: 100_000 } },
    hasFreeModels: false,
    catalogue: {},
  }
  const visit = { enter: () => edition, leave() {} }
  const handler = serveInference('chat', {
    editions: { current: edition, visit: () => visit },
    findKey: vi.fn(async () => undefined),
    meter: { ownerOf: () => undefined, forget() {} },
    overload: new Overload({ most: () => 10 }),
    sourceAddressOf: () => '127.0.0.1',
    spotTime: new SpotTime(),
    ...dependencies,
  } as unknown as InferenceDependencies)
  const server = createServer()
  const serve: Parameters<typeof createServer>[1] = (incoming, response) => {
    const raw = { incoming, response, headers: {}, path: {}, startedAtMs: 0, trace: { requestId: 'r' } }
    handler(raw).catch(({ code }) => response.writeHead(401).end(code))
  }
  server.on('request', serve).on('checkContinue', serve).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test.each([
  ['1.1', ['100 Continue', '401 Unauthorized']],
  ['1.0', ['401 Unauthorized']],
])(
  'a client of HTTP/%s that waits to be asked for its body is told to go on only where it knows of that',
  async (version, statuses) => {
    const socket = connect(await start(), '127.0.0.1')
    const head = `POST / HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\nconnection: close\r\n`
    socket.end(`${head}content-length: 1\r\nexpect: 100-continue\r\n\r\n{`)
    const answer = await text(socket)
    expect([...answer.matchAll(/^HTTP\/1\.1 (.+)\r$/gm)].map(([, status]) => status)).toEqual(statuses)
    expect(answer).toContain('invalid_api_key')
  },
)

/** Sends a body of so many bytes, and gives the status of its answer. */
async function send(port: number, bytes: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: `{"x":"${'x'.repeat(bytes - 8)}"}`,
  })
  return response.status
}

test('a body is read aside whose owner has taken their part of the thread, and says the same there', async () => {
  const refusal = new ApiError('missing_field', 'There is no model.', { param: 'model' })
  const read = vi.fn(async () => ({ refusal }))
  const begin = (_owner: string, bytes: number) => ({
    isLeft: bytes <= 8_192,
    run: <R>(work: () => R) => work(),
  })
  const port = await start({ reader: { read }, spotTime: { begin } })
  expect(await send(port, 8_192)).toBe(401)
  expect(read).not.toHaveBeenCalled()
  expect(await send(port, 8_193)).toBe(401)
  expect(read).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ owner: '127.0.0.1', operation: 'chat' }),
  )
})

test('a body is not even looked at on the spot once others of its owner have taken the time, though it had begun', async () => {
  const refusal = new ApiError('missing_field', 'There is no model.', { param: 'model' })
  const read = vi.fn(async () => ({ refusal }))
  let runs = 0
  const reading = {
    isLeft: true,
    run<R>(work: () => R): R {
      runs++
      return work()
    },
  }
  const port = await start({ reader: { read }, spotTime: { begin: () => reading } })
  const socket = connect(port, '127.0.0.1')
  const head = `POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\nconnection: close\r\n`
  socket.write(`${head}content-length: 20000\r\n\r\n{"x":"`)
  await vi.waitFor(() => expect(runs).toBe(1))
  reading.isLeft = false
  socket.end(`${'x'.repeat(19_992)}"}`)
  expect(await text(socket)).toContain('401')
  expect(runs).toBe(1)
  expect(read).toHaveBeenCalledTimes(1)
})

test('those whose workspace is not known pay for their bodies together, from wherever they come (REQ-76)', async () => {
  const payers: string[] = []
  const begin = (payer: string) => {
    payers.push(payer)
    return { isLeft: true, run: <R>(work: () => R) => work() }
  }
  for (const address of ['127.0.0.1', '127.0.0.2'])
    await send(await start({ sourceAddressOf: () => address, spotTime: { begin } }), 10_000)
  expect(payers).toEqual(['strangers', 'strangers'])
})

test('a workspace pays for its bodies wherever its keys are known', async () => {
  const begin = vi.fn(() => ({ isLeft: true, run: <R>(work: () => R) => work() }))
  const owner = { workspaceId: 'ws_1', keyId: 'key_1' }
  const meter = { ownerOf: () => owner, forget() {} } as unknown as InferenceDependencies['meter']
  await send(await start({ meter, spotTime: { begin } }), 10_000)
  expect(begin).toHaveBeenCalledWith('ws_1', 10_000)
})

test.each([
  ['revoked', 'api_key_revoked'],
  ['expired', 'api_key_expired'],
  ['active', undefined],
])('a key that is %s when its request is refused for its body is forgotten or kept', async (state, code) => {
  const forget = vi.fn()
  const owner = { workspaceId: 'ws_1', keyId: 'key_1' }
  const meter = { ownerOf: () => owner, forget } as unknown as InferenceDependencies['meter']
  const findKey = vi.fn(async () => ({ state, rates: owner, modelScope: null }))
  const port = await start({ meter, findKey: findKey as unknown as InferenceDependencies['findKey'] })
  const body = '{"messages":[]}'
  const headers = { authorization: `Bearer ${KEY}` }
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
  expect(await response.text()).toBe(code ?? 'missing_field')
  expect(forget.mock.calls).toHaveLength(code ? 1 : 0)
})

test.each([
  ['that is revoked is forgotten', 'revoked', { looks: 1, times: 1 }],
  ['that is active is kept', 'active', { looks: 1, times: 0 }],
  ['that cannot be looked up is kept', undefined, { looks: 1, times: 0 }],
  ['that is not known is not looked up', 'stranger', { looks: 0, times: 0 }],
])('where a client leaves in the midst of a body, a key %s', async (_, state, { looks, times }) => {
  const forget = vi.fn()
  const owner = { workspaceId: 'ws_1', keyId: 'key_1' }
  const ownerOf = () => (state === 'stranger' ? undefined : owner)
  const findKey = vi.fn(async () => {
    if (state === undefined) throw new OutageError('away')
    return { state, rates: owner, modelScope: null }
  })
  const overload = new Overload({ most: () => 10 })
  const port = await start({
    meter: { ownerOf, forget } as unknown as InferenceDependencies['meter'],
    findKey: findKey as unknown as InferenceDependencies['findKey'],
    overload,
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-length: 9\r\n\r\n{`)
  await vi.waitFor(() => expect(overload.usage.held.count).toBe(1))
  expect(findKey).not.toHaveBeenCalled()
  socket.destroy()
  await vi.waitFor(() => expect(overload.usage.held.count).toBe(0))
  await turn()
  expect(findKey).toHaveBeenCalledTimes(looks)
  expect(forget).toHaveBeenCalledTimes(times)
})
