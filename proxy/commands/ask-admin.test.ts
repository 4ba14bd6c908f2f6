import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { askAdmin } from './ask-admin.ts'

/** Somebody else who listens where the proxy would, as others on this machine may while none runs. */
async function startStranger(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a command goes nowhere else than to the address of the proxy', async () => {
  const reached = vi.fn()
  const other = await startStranger((_, response) => {
    reached()
    response.end('{}')
  })
  const address = await startStranger((_, response) =>
    response.writeHead(307, { location: `${other}/attest` }).end('{}'),
  )
  expect(await askAdmin(address, '/attest', { method: 'POST', limitMs: 10_000 })).toEqual({
    status: 307,
    found: {},
  })
  expect(reached).not.toHaveBeenCalled()
})

test('an answer without an end is read up to a bound, and is none', async () => {
  const address = await startStranger((_, response) => {
    const piece = Buffer.alloc(65_536, ' ')
    const send = (): void => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', send)
    send()
  })
  await expect(askAdmin(address, '/status', { limitMs: 60_000 })).rejects.toThrow('No proxy answers')
})
