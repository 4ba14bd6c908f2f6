import * as assert from './assert.ts'
import type { Context } from './context.ts'
import type { Exchange } from './http/exchange.ts'

/** Said where a request is wrong in itself: who says so of its key would refuse everybody. */
export const NOT_THE_KEY = 'it is told that its key is wrong, which is valid'

/** How long a product may take until it serves again (ours). */
const HEALING_MS = 40_000

/** Asserts a refusal, whatever it is told: that is shown where it is what a rule says. */
export function expectRefused({ status }: Exchange): void {
  assert.ok(status >= 400 && status < 500, `it is answered ${status}`)
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
