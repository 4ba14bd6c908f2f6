import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import type { Running } from './running.ts'

/**
 * Writes the counts of all running generations whose count has moved, in one statement, so that a crash forgets
 * only what was delivered since. Holds that are just being settled are passed over: waiting for them could
 * deadlock, and they need no checkpoint any more.
 */
export async function writeCheckpoint(sql: Sql, running: Iterable<Running>): Promise<void> {
  const moved = [...running].filter((one) => one.completionTokens !== one.writtenTokens)
  if (moved.length === 0) return
  const counted = moved.map((one) => ({ ...one }))
  const { text, bigint } = columnsOf(sql, counted)
  await sql`
    with moved as (
      select * from unnest(
        ${text((one) => one.workspaceId)}::text[],
        ${text((one) => one.id)}::text[],
        ${bigint((one) => one.completionTokens)}::bigint[]
      ) as m (workspace_id, generation_id, completion_tokens)
    ),
    free as (
      select h.workspace_id, h.generation_id, m.completion_tokens
      from moved m
      join holds h on h.workspace_id = m.workspace_id and h.generation_id = m.generation_id
      for no key update of h skip locked
    )
    update holds h set completion_tokens = f.completion_tokens
    from free f where h.workspace_id = f.workspace_id and h.generation_id = f.generation_id`
  for (const [index, one] of moved.entries()) one.writtenTokens = counted[index]!.completionTokens
}
