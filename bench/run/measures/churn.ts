import { bodyFor } from '../wire/prompts.ts'
import type { Measure } from './measure.ts'
import { takeTurn } from './turn.ts'

/** Clients at a time, each with a new connection for every request. */
const CLIENTS = 16

/** What a connection costs, with and without TLS. */
export const churn: readonly Measure[] = [false, true].map((isTls) => ({
  id: isTls ? 'churn-tls' : 'churn',
  title: `requests on a new connection each, ${isTls ? 'over TLS' : 'without TLS'}, ${CLIENTS} clients`,
  isQuick: false,
  fits: ({ running }) => !isTls || running.tlsTarget !== undefined,
  take: ({ running }, tools) =>
    takeTurn(
      tools,
      running,
      {
        body: bodyFor(running.target.model, undefined),
        clients: CLIENTS,
        withinMs: 0,
        isChurn: true,
        isTls,
      },
      'requests',
    ),
}))
