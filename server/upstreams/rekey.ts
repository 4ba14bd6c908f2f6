import type { Queryable } from '../store/connection.ts'
import { inTransaction } from '../store/transaction.ts'
import { openApiKey, openUnderAny, sealApiKey } from './api-key.ts'

/** What became of the stored keys, by the upstreams' names. */
export interface Rekeyed {
  /** Were under a previous secret and are under the present one now. */
  readonly rekeyed: readonly string[]
  /** Were under the present one. */
  readonly current: readonly string[]
  /** Are under neither; left as they are. */
  readonly unreadable: readonly string[]
}

/**
 * Stores the key of every upstream under the present secret (OPS-28), all or none. It is the same key and the same
 * registration: no router looks at it anew.
 */
export function rekeyUpstreams(
  sql: Queryable,
  secret: Buffer,
  previous: readonly Buffer[],
): Promise<Rekeyed> {
  return inTransaction(sql, async (transaction) => {
    const rows = await transaction<{ name: string; id: string; apiKey: Buffer }[]>`
      select name, id, api_key as "apiKey" from upstreams where api_key is not null order by name for update`
    const standing = new Map<string, keyof Rekeyed>()
    for (const { name, id, apiKey } of rows) {
      const [opened, under] = openStored(apiKey, id, secret, previous)
      standing.set(name, under)
      if (under !== 'rekeyed') continue
      await transaction`update upstreams set api_key = ${sealApiKey(opened, id, secret)} where name = ${name}`
    }
    const named = (state: keyof Rekeyed) =>
      [...standing].flatMap(([name, is]) => (is === state ? [name] : []))
    return { rekeyed: named('rekeyed'), current: named('current'), unreadable: named('unreadable') }
  })
}

function openStored(
  sealed: Buffer,
  id: string,
  secret: Buffer,
  previous: readonly Buffer[],
): readonly [string, keyof Rekeyed] {
  try {
    return [openApiKey(sealed, id, secret), 'current']
  } catch {
    try {
      return [openUnderAny(sealed, id, [secret, ...previous]), 'rekeyed']
    } catch {
      return ['', 'unreadable']
    }
  }
}
