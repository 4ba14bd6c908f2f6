import type { QueryClient } from '@tanstack/react-query'
import { meQuery } from './me.ts'

/** Takes administration out of the page: whoever is open here is no administrator any more (CONS-53). */
export function dismiss(queries: QueryClient): void {
  queries.setQueryData(meQuery.queryKey, (me) => me && { ...me, administrator: false })
  queries.removeQueries({
    predicate: ({ queryKey: [, path] }) => typeof path === 'string' && path.startsWith('/admin/'),
  })
}
