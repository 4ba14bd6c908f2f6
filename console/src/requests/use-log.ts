import { keepPreviousData } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { RequestFilter } from './filter.ts'

const PAGE = 50

/** The request log page by page, as it was narrowed. */
export function useLog(filter: RequestFilter, limit = PAGE) {
  return api.useInfiniteQuery(
    'get',
    '/requests',
    { params: { query: { ...filter, limit } } },
    {
      pageParamName: 'after',
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next ?? undefined,
      placeholderData: keepPreviousData,
    },
  )
}
