/** How a list is read page by page; the contract names a page's end, and takes it as the next one's beginning. */
export const byPage = {
  pageParamName: 'after',
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { readonly next: string | null }) => next ?? undefined,
}
