import type { ControlBooks, ControlDebits } from '#contract/models'
import * as assert from './assert.ts'
import { showing } from './checks.ts'
import type { Context } from './context.ts'
import { generationIdOf } from './expect.ts'
import type { Call } from './http/call.ts'
import type { Exchange } from './http/exchange.ts'
import { expectStreamed } from './stream.ts'

/**
 * Reads a stream until enough of it has come and closes the connection; gives what had come. Fails when the stream
 * ended before.
 */
export async function abortAfter(call: Call, isEnough: (soFar: Exchange) => boolean): Promise<Exchange> {
  const came = await call.until(isEnough)
  // Nothing is told of who leaves a stream that is over, or was none.
  if (!came) {
    showing([], () => expectStreamed(call.exchange))
    assert.failAs([], 'the stream ended before the client could leave it')
  }
  const seen = call.exchange
  call.abort()
  return seen
}

/** How long a router may take to notice that a client has left, and to settle its generation (ours). */
const SETTLING_MS = 10_000

/** Waits for what was metered of a generation and asserts that it is `aborted`; `seen` carries its id in the header. */
export function expectAborted(
  context: Context,
  seen: Exchange,
): Promise<ControlDebits['generations'][number]> {
  return abortedIn(() => context.debits(), context, seen)
}

/** The same with all that this project's books tell of it. */
export function expectAbortedInBooks(
  context: Context,
  seen: Exchange,
): Promise<ControlBooks['generations'][number]> {
  return abortedIn(() => context.books(), context, seen)
}

async function abortedIn<One extends ControlDebits['generations'][number]>(
  read: () => Promise<{ readonly generations: readonly One[] }>,
  context: Context,
  seen: Exchange,
): Promise<One> {
  const id = generationIdOf(seen)
  const record = await context.eventually(
    'the record of an aborted stream',
    // In which case the id is written means nothing.
    async () => (await read()).generations.find((one) => one.id.toLowerCase() === id.toLowerCase()),
    SETTLING_MS,
  )
  assert.equal(record.status, 'aborted')
  return record
}
