import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startWireControl, type WireControl } from './control.ts'
import { createWire, type Wire } from './wire.ts'

const server = createServer((_, response) => response.end('hello'))
let wire: Wire
let control: WireControl

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(async () => {
  wire = await createWire(() => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }))
  control = await startWireControl({ demo: wire })
})

afterEach(async () => {
  await wire.close()
  await control.close()
})

const fetchThrough = (headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${wire.port}/`, { headers: { connection: 'close', ...headers } })

async function tell(act: string, body: object = {}): Promise<Record<string, unknown>> {
  const response = await fetch(`${control.urlOf('demo')}/${act}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

async function read(path: string): Promise<Record<string, unknown>> {
  return (await (await fetch(`${control.urlOf('demo')}/${path}`)).json()) as Record<string, unknown>
}

test('what passes through a wire is unchanged', async () => {
  expect(await (await fetchThrough()).text()).toBe('hello')
  expect(await read('state')).toEqual({ isCut: false, connections: 1, held: 0 })
})

test('a wire that is cut ends what runs and refuses what comes, until it is mended', async () => {
  const running = connect(wire.port, '127.0.0.1')
  running.on('error', () => {})
  await once(running, 'connect')
  const ended = new Promise((resolve) => running.once('close', resolve))
  expect(await tell('cut')).toMatchObject({ isCut: true })
  await ended
  await expect(fetchThrough()).rejects.toThrow()
  await tell('mend')
  expect(await (await fetchThrough()).text()).toBe('hello')
})

test('a wire that drops ends what runs and serves what comes', async () => {
  const running = connect(wire.port, '127.0.0.1')
  running.on('error', () => {})
  await once(running, 'connect')
  const ended = new Promise((resolve) => running.once('close', resolve))
  await vi.waitFor(async () => expect(await read('state')).toMatchObject({ connections: 1 }))
  await tell('drop')
  await ended
  expect(await (await fetchThrough()).text()).toBe('hello')
})

test('as many connections as told are held, and served once the wire is mended', async () => {
  await tell('hold', { count: 1 })
  const first = fetchThrough().then((response) => response.text())
  await vi.waitFor(async () => expect(await read('state')).toMatchObject({ held: 1 }))
  expect(await (await fetchThrough()).text()).toBe('hello')
  expect(await Promise.race([first, sleep(50, 'waits')])).toBe('waits')
  await tell('mend')
  expect(await first).toBe('hello')
})

test('what comes can be led elsewhere, until the wire is mended', async () => {
  const other = createServer((_, response) => response.end('other'))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  await tell('lead', { port: (other.address() as AddressInfo).port })
  expect(await (await fetchThrough()).text()).toBe('other')
  await tell('mend')
  expect(await (await fetchThrough()).text()).toBe('hello')
  other.closeAllConnections()
  other.close()
})

test('heads of requests can be read, without their keys, and beginnings of connections', async () => {
  await (await fetchThrough({ 'x-mark': 'abc', authorization: 'Bearer secret' })).text()
  const { heads } = (await read('heads?contains=abc')) as { heads: string[] }
  expect(heads).toEqual([expect.stringContaining('x-mark: abc')])
  expect(heads[0]).not.toContain('secret')
  const { beginnings } = (await read('beginnings')) as { beginnings: string[] }
  expect(Buffer.from(beginnings[0]!, 'base64').toString()).toMatch(/^GET \/ HTTP\/1\.1/)
})

test('a header can be put into answers to requests that hold a text, and into no others', async () => {
  await tell('insert', { contains: 'abc', header: 'X-Told: yes' })
  const marked = await fetchThrough({ 'x-mark': 'abc' })
  expect([marked.headers.get('x-told'), await marked.text()]).toEqual(['yes', 'hello'])
  expect((await fetchThrough()).headers.get('x-told')).toBeNull()
})
