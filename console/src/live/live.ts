import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Balance, Credits, RequestPage, RequestRow } from '#contract/console/models'
import { matches, type RequestFilter } from '../requests/filter.ts'
import { withRow } from '../requests/rows.ts'

/** Brings a row of the log into every list that shows it, or would. */
export function takeRow(queries: QueryClient, row: RequestRow): void {
  const lists = queries.getQueryCache().findAll({ queryKey: ['get', '/requests'] })
  for (const { queryKey } of lists) {
    const filter = filterOf(queryKey)
    queries.setQueryData<InfiniteData<RequestPage, string | null>>(queryKey, (data) => {
      if (data?.pages === undefined) return data
      return { ...data, pages: withRow(data.pages, row, matches(row, filter) && isByTime(filter)) }
    })
  }
}

/** Brings the balance into everything that shows it. */
export function takeBalance(queries: QueryClient, balance: Balance): void {
  queries.setQueriesData<Credits | InfiniteData<Credits>>({ queryKey: ['get', '/credits'] }, (data) => {
    if (data === undefined) return data
    if ('pages' in data) return { ...data, pages: data.pages.map((page) => ({ ...page, ...balance })) }
    return { ...data, ...balance }
  })
}

/** Asks anew for what a request that has ended changes. */
export function askAnew(queries: QueryClient): void {
  for (const path of ['/usage', '/keys', '/credits', '/requests/{id}']) {
    void queries.invalidateQueries({ queryKey: ['get', path] })
  }
}

function filterOf(queryKey: readonly unknown[]): RequestFilter {
  const [, , init] = queryKey as [string, string, { params?: { query?: RequestFilter } }?]
  return init?.params?.query ?? {}
}

function isByTime({ sort = 'time', order = 'desc' }: RequestFilter): boolean {
  return sort === 'time' && order === 'desc'
}
