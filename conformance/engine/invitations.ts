import type { Context } from './context.ts'
import type { Exchange } from './http/exchange.ts'
import type { Need } from './needs.ts'
import type { RequestOptions } from './requests.ts'

/** What scenarios about invitations need that look codes up. */
export const invitationNeeds: readonly Need[] = ['feature:invitations', 'issueInvitation']

/** A random amount of one to two dollars, in micro-dollars, so that its ledger row can be told from others. */
export function anyGrant(context: Context): number {
  return 1_000_000 + context.random.below(1_000_000)
}

/**
 * Looks a code up, without a key unless one is given. Where the router believes it, the address is one of the scenario's own: the budget
 * of the suite's own address is for everybody.
 */
export function lookUp(
  context: Context,
  code: string,
  { headers, ...options }: Pick<RequestOptions, 'key' | 'headers'> = {},
): Promise<Exchange> {
  const source = context.target.believesForwarded ? { 'x-forwarded-for': addressFor(context.nonce) } : {}
  return context.request('getInvitation', {
    key: null,
    ...options,
    headers: { ...source, ...headers },
    params: { code },
  })
}

/** An address of the documentation's network (RFC 5737). */
export function addressFor(nonce: string): string {
  const sum = [...nonce].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 65_521, 7)
  return `198.51.${sum % 256}.${(sum >> 8) % 256}`
}
