import { useSuspenseQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Who is signed in, as a query; every page behind the sign-in has asked it before it is shown. */
export const meQuery = api.queryOptions('get', '/me', {}, { staleTime: 60_000 })

/** Who is signed in. */
export function useMe() {
  return useSuspenseQuery(meQuery).data
}
