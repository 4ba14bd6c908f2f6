import { bodyFor } from '../wire/prompts.ts'
import type { Measure } from './measure.ts'
import { takeTurn } from './turn.ts'

/** Clients that ask one thing after the other. */
export const REQUEST_CLIENTS = [1, 16, 64, 256, 2_000] as const

/** Over how long so many clients connect: no listener's queue holds two thousand at once. */
const CONNECT_MS = 500
const QUICK: readonly number[] = [1, 64]

/** Requests a second, and what each costs. */
export const requests: readonly Measure[] = REQUEST_CLIENTS.map((clients) => ({
  id: `requests-${clients}`,
  title: `requests that do not stream, ${clients} client${clients === 1 ? '' : 's'}`,
  isQuick: QUICK.includes(clients),
  take: ({ running }, tools) =>
    takeTurn(
      tools,
      running,
      {
        body: bodyFor(running.target.model, undefined),
        clients,
        withinMs: clients > 100 ? CONNECT_MS : 0,
        isChurn: false,
      },
      'requests',
    ),
}))
