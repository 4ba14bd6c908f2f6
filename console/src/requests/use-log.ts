import { keepPreviousData } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { byPage } from '../api/pages.ts'
import type { RequestFilter } from './filter.ts'

const PAGE = 50

/** The request log page by page, as it was narrowed. */
export function useLog(filter: RequestFilter, limit = PAGE) {
  return api.useInfiniteQuery(
    'get',
    '/requests',
    { params: { query: { ...filter, limit } } },
    { ...byPage, placeholderData: keepPreviousData },
  )
}
