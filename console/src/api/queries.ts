import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Failure } from './failure.ts'

/** Longest pause between two tries at a router that is away. */
const MAX_PAUSE_MS = 5_000

/** What the page is told of its person by any answer. */
export interface PersonEvents {
  /** The session has ended. */
  readonly onSignedOut: () => void
  /** This is no administrator, or none any more. */
  readonly onDismissed: () => void
}

/** What is kept of answers while the page is open. */
export function createQueries({ onSignedOut, onDismissed }: PersonEvents): QueryClient {
  const onError = (error: unknown) => {
    if (!(error instanceof Failure)) return
    if (error.isSignedOut) onSignedOut()
    if (error.isDismissed) onDismissed()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The router may be on this very machine: no network is no reason not to ask it.
        networkMode: 'always',
        retry: (count, error) => error instanceof Failure && error.isAway && count < 1_000,
        retryDelay: (count) => Math.min(500 * 2 ** count, MAX_PAUSE_MS),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
