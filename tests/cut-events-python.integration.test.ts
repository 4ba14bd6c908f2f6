// @module-tag python-openai

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { closeWorlds } from '../proxy/testing/world.ts'
import {
  cutAtGateway,
  type Halved,
  type HalvingRouter,
  halves,
  revokeAtProxy,
  startHalvingRouter,
} from './half-events.ts'
import { pythonOf } from './needs.ts'

const PROGRAM = join(import.meta.dirname, 'clients', 'programs', 'python-cut.py')

let router: HalvingRouter

beforeAll(async () => {
  router = await startHalvingRouter()
  return () => router.stop()
})

afterEach(closeWorlds)

/** Has the program read a stream that breaks off behind its first delta, and expects what it is told. */
async function expectTold({ url, apiKey, breakOff }: Halved, code: string): Promise<void> {
  const env = { ...process.env, OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey }
  const program = spawn(pythonOf('python-openai'), [PROGRAM], { env })
  let said = ''
  program.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
    if (piece.includes('delta')) breakOff()
  })
  await once(program, 'close')
  const last = said.trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(last)).toEqual({ text: 'Hello', thrown: { name: 'APIError', code } })
}

test.each(halves)('a backend that is cut %s is backend_unavailable in Python, at the router', (_, half) =>
  expectTold(router.stream(half), 'backend_unavailable'),
)

test.each(halves)(
  'a gateway that is cut %s is backend_unavailable in Python, at the proxy',
  async (_, half) => expectTold(await cutAtGateway(half), 'backend_unavailable'),
)

test.each(halves)('a verdict that ends %s of an event is attestation_revoked in Python', async (_, half) =>
  expectTold(await revokeAtProxy(half), 'attestation_revoked'),
)
