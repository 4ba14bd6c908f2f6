import { messageOf } from '#base/thrown.ts'

/**
 * Why nothing came of a request, in words. Of a name with several addresses, such as `localhost`, Node tells what was wrong
 * with each and has no message itself; `fetch` says that it failed, and why in its cause.
 */
export function faultOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join(', ')
  const isFetch = thrown instanceof TypeError && thrown.cause instanceof Error
  return isFetch ? `${thrown.message}: ${faultOf(thrown.cause)}` : messageOf(thrown)
}
