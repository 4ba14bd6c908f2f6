import type { Context } from './context.ts'
import type { Exchange } from './http/exchange.ts'

/** How long a product may take to find what it needs back (ours). */
const HEALING_MS = 40_000

/** Asks until the proxy refuses: connections from before a rotation live on until their next answer. */
export function untilRefused(context: Context, ask: () => Promise<Exchange>): Promise<Exchange> {
  return context.eventually('a request is refused', async () => {
    const exchange = await ask()
    return exchange.status !== 200 && exchange
  })
}

/** Asks until requests are served again. */
export async function untilServed(context: Context, ask: () => Promise<Exchange>): Promise<void> {
  await context.eventually('requests are served again', async () => (await ask()).status === 200, HEALING_MS)
}
