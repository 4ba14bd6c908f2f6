import { once } from 'node:events'
import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RawHeaders } from '../raw-headers.ts'
import { unavailable } from '../refusal.ts'
import { Answer } from './answer.ts'

/** Serves by a listener, and tells how its first client fares. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const asked = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  return new Promise((resolve) => {
    asked.on('response', ({ statusCode }) => resolve(`answered ${statusCode}`))
    asked.on('error', ({ message }) => resolve(message))
  })
}

const acts: [string, (answer: Answer) => void][] = [
  ['a status beyond all bounds', (answer) => answer.start(20_000, 'OK', new RawHeaders([]))],
  ['a header that cannot be written', (answer) => answer.start(200, 'OK', new RawHeaders(['X-Odd', 'a\nb']))],
  [
    'a refusal whose header cannot be written',
    (answer) => answer.fail({ ...unavailable(true), headers: { 'X-Odd': 'a\nb' } }),
  ],
]

test.each(acts)('%s closes the client’s socket and is told', async (_, act) => {
  const events = { onThrown: vi.fn(), onGone: vi.fn(), onDrain: vi.fn() }
  const outcome = await serve((request, response) => act(new Answer(request, response, [], events)))
  expect(outcome).toBe('socket hang up')
  expect(events.onThrown).toHaveBeenCalledOnce()
  expect(events.onGone).toHaveBeenCalledOnce()
})
