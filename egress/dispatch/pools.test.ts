import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import request from 'undici/lib/api/api-request.js'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from '../testing/gateway.ts'
import { createIdentity, HOSTNAME } from '../testing/identity.ts'
import { Pools } from './pools.ts'

const { pem, fingerprint } = createIdentity()
const open: (() => Promise<unknown>)[] = []
const patience = { connectMs: 5_000, firstByteMs: 0, idleMs: 0 }

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

function createPools(port: number, changes: Partial<typeof patience>): Pools {
  const pools = new Pools({ hostname: HOSTNAME, host: '127.0.0.1', port }, { ...patience, ...changes })
  open.push(() => pools.destroy(new Error('The test is over.')))
  return pools
}

/** Asks for `/` over the connections that end at the certificate. */
const get = (pools: Pools) => request.call(pools.of(fingerprint), { path: '/', method: 'GET' })

test('a connection that does not come about in time is given up', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => server.close())
  const { port } = server.address() as AddressInfo
  const asked = get(createPools(port, { connectMs: 50 }))
  await expect(asked).rejects.toMatchObject({ name: 'DialError', reason: 'timeout' })
})

test('an answer is waited for as long as was said', async () => {
  const gateway = await startGateway({ pem, fingerprint }, () => {})
  open.push(() => gateway.close())
  const asked = get(createPools(gateway.port, { firstByteMs: 10 }))
  await expect(asked).rejects.toMatchObject({ name: 'HeadersTimeoutError' })
  expect(gateway.requests).toHaveLength(1)
})

test('retired connections end their answers, destroyed ones are told why', async () => {
  let end = () => {}
  const gateway = await startGateway({ pem, fingerprint }, (_, response) => {
    response.write('first')
    end = () => void response.end(' last')
  })
  open.push(() => gateway.close())
  const pools = createPools(gateway.port, {})
  const { body } = await get(pools)
  pools.keepOnly(createIdentity().fingerprint)
  end()
  expect(await body.text()).toBe('first last')
  const cut = await get(pools)
  await pools.destroy(new Error('withdrawn'))
  await expect(cut.body.text()).rejects.toThrow('withdrawn')
})
