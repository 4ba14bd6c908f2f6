import assert from 'node:assert/strict'
import type { ControlBooks } from '#contract/models'
import type { Context } from './context.ts'
import { generationIdOf } from './expect.ts'
import type { Call } from './http/call.ts'
import type { Exchange } from './http/exchange.ts'

/**
 * Reads a stream until enough of it has come and closes the connection; gives what had come. Fails when the stream
 * ended before.
 */
export async function abortAfter(call: Call, isEnough: (soFar: Exchange) => boolean): Promise<Exchange> {
  const came = await call.until(isEnough)
  assert.ok(came, 'the stream ended before the client could leave it')
  const seen = call.exchange
  call.abort()
  return seen
}

/** How long a router may take to notice that a client has left, and to settle its generation (ours). */
const SETTLING_MS = 10_000

/** Waits for a generation's row in the books and asserts that it is `aborted`; `seen` carries its id in the header. */
export async function expectAborted(
  context: Context,
  seen: Exchange,
): Promise<ControlBooks['generations'][number]> {
  const id = generationIdOf(seen)
  const record = await context.eventually(
    'the record of an aborted stream',
    async () => {
      const { generations } = await context.books()
      return generations.find((generation) => generation.id === id)
    },
    SETTLING_MS,
  )
  assert.equal(record.status, 'aborted')
  return record
}
