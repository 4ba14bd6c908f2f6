import * as assert from './assert.ts'
import { showing } from './checks.ts'
import type { Context } from './context.ts'
import { expectSubset } from './expect.ts'
import { type Exchange, objectOf } from './http/exchange.ts'

/** Said where a request is wrong in itself: who says so of its key would refuse everybody. */
export const NOT_THE_KEY = 'it is told that its key is wrong, which is valid'

/** How long a product may take until it serves again (ours). */
const HEALING_MS = 40_000

/** Asserts a refusal, whatever it is told: that is shown where it is what a rule says. */
export function expectRefused({ status }: Exchange): void {
  assert.ok(status >= 400 && status < 500, `it is answered ${status}`)
}

/**
 * Asserts what a verifier's refusal says of its stage and reason. That it says them, beside the error, is what ERR-29 asks:
 * where they do not stand there, nothing is told of them.
 */
export function expectGround(
  refusal: Exchange,
  ground: { readonly stage?: string; readonly reason?: string },
): void {
  const body = objectOf(refusal)
  showing([], () => {
    for (const name of Object.keys(ground)) assert.equal(typeof body[name], 'string', `there is no ${name}`)
  })
  expectSubset(body, ground)
}

/** Asks until an answer is no 200, and gives that; connections from before a rotation may still answer one request. */
export function untilRefused(context: Context, ask: () => Promise<Exchange>): Promise<Exchange> {
  return context.eventually('a request is refused', async () => {
    const exchange = await ask()
    return exchange.status !== 200 && exchange
  })
}

/** Asks until an answer is a 200. Fails after `HEALING_MS`. */
export async function untilServed(context: Context, ask: () => Promise<Exchange>): Promise<void> {
  await context.eventually('requests are served again', async () => (await ask()).status === 200, HEALING_MS)
}
