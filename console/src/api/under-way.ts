import type { QueryClient } from '@tanstack/react-query'
import type { paths } from '#contract/console/types'

/**
 * Whether such a call has been sent and is not answered yet. It is known at once: a button that shows it is drawn only
 * after a second click may have come.
 */
export function isUnderWay(queries: QueryClient, method: 'post', path: keyof paths): boolean {
  return queries.isMutating({ mutationKey: [method, path] }) > 0
}
