import { expect, test } from 'vitest'
import { checking } from './checks.ts'
import { expectError } from './expect.ts'
import type { Exchange } from './http/exchange.ts'
import { toldLate } from './told-late.ts'

const error = (code: string) =>
  `data: ${JSON.stringify({ error: { message: 'No.', type: 'upstream_error', code } })}\n\n`
const DONE = 'data: [DONE]\n\n'
const PING = ': ping\n\n'
const chunk = 'data: {"choices":[]}\n\n'

function streamed(text: string, status = 200): Exchange {
  const headers = { 'content-type': 'text/event-stream' }
  return { status, headers, body: Buffer.from(text), reads: [], ending: 'complete' } as unknown as Exchange
}

const isRefusal = async (exchange: Exchange) => {
  const scenario = { rules: ['RLAY-05'], isNaming: false } as const
  const asked = checking(scenario, { held: new Map() }, async () => {
    expectError(exchange, 'backend_unavailable')
  })
  return asked.then(
    () => true,
    () => false,
  )
}

test.each([
  ['after a ping', streamed(PING + error('backend_unavailable') + DONE), true, true],
  ['after several', streamed(PING + PING + error('backend_unavailable') + DONE), true, true],
  ['as another failure', streamed(PING + error('backend_error') + DONE), true, false],
  ['before any ping was due', streamed(error('backend_unavailable') + DONE), false, false],
  ['after a chunk', streamed(PING + chunk + error('backend_unavailable') + DONE), false, false],
  ['as what no backend says', streamed(PING + error('invalid_api_key') + DONE), false, false],
  ['not at all', streamed(PING + DONE), false, false],
  ['with a status of its own', streamed(PING + error('backend_unavailable') + DONE, 503), false, false],
])('a failure of a backend is told late, and told rightly: %s', async (_, exchange, isLate, isRight) => {
  expect(toldLate(exchange) !== undefined).toBe(isLate)
  expect(await isRefusal(exchange)).toBe(isRight)
})
