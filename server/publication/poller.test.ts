import { expect, test, vi } from 'vitest'
import { makeBundle } from '../../attestation/testing/evidence.ts'
import { silent } from '../log.ts'
import { startPoller } from './poller.ts'
import { createShelf } from './shelf.ts'

const endpoint = {
  name: 'demo',
  hostname: 'router.localhost',
  evidence: { hostname: 'router.localhost', url: 'https://127.0.0.1:1/', caFile: undefined },
}

const bundle = Buffer.from(makeBundle())

test('an endpoint without a platform is told of once, and once again after it had one', async () => {
  const said: string[] = []
  const log = {
    ...silent,
    info: (message: string) => void said.push(`info: ${message}`),
    warn: (message: string) => void said.push(`warn: ${message.split(',')[0]}`),
  }
  let isThere = false
  let asked = 0
  const fetch = async () => {
    asked++
    if (!isThere) throw new Error('nobody listens')
    return bundle
  }
  const world = {
    endpoints: [endpoint],
    shelf: createShelf(),
    save: async () => {},
    intervalMs: 1,
    log,
    fetch,
  }
  const poller = startPoller(world)
  const askAgain = async () => {
    const before = asked
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before + 3), 10_000)
  }
  await askAgain()
  isThere = true
  await askAgain()
  isThere = false
  await askAgain()
  await poller.stop()
  expect(said).toEqual([
    'warn: reading the evidence of demo failed',
    'info: reading the evidence of demo works',
    'warn: reading the evidence of demo failed',
  ])
})
