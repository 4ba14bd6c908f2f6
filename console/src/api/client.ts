import createFetchClient from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import type { paths } from '#contract/console/types'
import { readFailure, unreachable } from './failure.ts'

/** Calls the console's API, typed by the contract. Every refusal, and every silence, is a thrown `Failure`. */
export const client = createFetchClient<paths>({
  baseUrl: `${location.origin}/console/api`,
  fetch: (request) => globalThis.fetch(request).catch((cause) => Promise.reject(unreachable(cause))),
})

client.use({
  async onResponse({ response }) {
    if (!response.ok) throw await readFailure(response)
    return undefined
  },
})

/** The same as hooks of TanStack Query. */
export const api = createQueryClient(client)
