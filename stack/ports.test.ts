import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { choosePorts, withPorts } from './ports.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function occupy(port = 0): Promise<number> {
  const server = createServer()
  servers.push(server)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const port = await occupy()
  const server = servers.pop()!
  server.close()
  await once(server, 'close')
  return port
}

test('a free port is taken as wanted', async () => {
  const port = await freePort()
  expect(await choosePorts({ router: port })).toEqual({ router: { port, wanted: port } })
})

test('a taken port moves, and says which one was wanted', async () => {
  const wanted = await occupy()
  const { router } = await choosePorts({ router: wanted })
  expect(router.wanted).toBe(wanted)
  expect(router.port).not.toBe(wanted)
  expect(await occupy(router.port)).toBe(router.port)
})

test('no port is chosen twice', async () => {
  const wanted = await freePort()
  const { backend, backendControl } = await choosePorts({ backend: wanted, backendControl: wanted })
  expect(backend.port).not.toBe(backendControl.port)
})

test('a port that somebody takes at the last moment is replaced by another', async () => {
  const wanted = await freePort()
  const seen: number[] = []
  const port = await withPorts({ router: wanted }, async ({ router }) => {
    seen.push(router.port)
    if (seen.length === 1) await occupy(router.port)
    if (seen.length === 1) throw new Error('EADDRINUSE')
    return router.port
  })
  expect(seen).toHaveLength(2)
  expect(port).not.toBe(seen[0])
})

test('a start that fails for another reason is not tried again', async () => {
  let tries = 0
  const start = withPorts({ router: await freePort() }, async () => {
    tries += 1
    throw new Error('broken')
  })
  await expect(start).rejects.toThrow('broken')
  expect(tries).toBe(1)
})
