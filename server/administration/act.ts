import type { components } from '#contract/console/types'
import type { Queryable } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { inTransaction } from '../store/transaction.ts'

/** What administrators do. */
export type AuditAct = components['schemas']['AuditAct']

/** Who does it, and where. */
export interface Actor {
  /** An administrator's address, or whoever the command line says it is. */
  readonly name: string
  readonly through: 'console' | 'command_line'
}

/** What was done. */
export interface Act {
  readonly act: AuditAct
  /** An upstream's name, the id of anything else. */
  readonly subject: string
  /** What else belongs to it; never a key, a code or a secret. */
  readonly details?: Readonly<Record<string, string>>
}

/**
 * Does what an administrator wants and writes it down, both or neither (CONS-51). Nothing is written down where `change`
 * resolves undefined, for then there was nothing to do it to; `tell` names no act where nothing has changed.
 */
export function audited<Done extends object>(
  sql: Queryable,
  actor: Actor,
  change: (transaction: Queryable) => Promise<Done | undefined>,
  tell: (done: Done) => readonly Act[],
): Promise<Done | undefined> {
  return inTransaction(sql, async (transaction) => {
    const done = await change(transaction)
    for (const act of done ? tell(done) : []) await append(transaction, actor, act)
    return done
  })
}

async function append(sql: Queryable, actor: Actor, { act, subject, details = {} }: Act): Promise<void> {
  // Half a surrogate pair is no text that the database takes.
  const texts = Object.fromEntries(
    Object.entries(details).map(([name, text]) => [name, text.toWellFormed()] as const),
  )
  await sql`
    insert into audit (id, actor, through, act, subject, details)
    values (${createId('aud_')}, ${actor.name}, ${actor.through}, ${act}, ${subject}, ${sql.json(texts)})`
}
