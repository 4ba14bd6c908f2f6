/**
 * How a list is read page by page; the contract names a page's end, and takes it as the next one's beginning. The first
 * page is asked for by null: left out, openapi-react-query would ask for page 0.
 */
export const byPage = {
  pageParamName: 'after',
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }: { readonly next: string | null }) => next ?? undefined,
}
