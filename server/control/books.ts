import type { ControlBooks } from '#contract/models'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { listKeys } from '../store/keys.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { ControlError, type ControlHandler } from './handlers.ts'
import { toControlKey } from './keys.ts'

/** Reads everything that is booked of a workspace, on one snapshot. */
export function readingBooks(sql: Sql): ControlHandler<'books'> {
  return ({ workspace_id: id }) =>
    sql.begin('isolation level repeatable read read only', async (snapshot) => {
      const workspace = await findWorkspace(snapshot, id)
      if (!workspace) throw new ControlError(`There is no workspace ${id}.`)
      return {
        balance_micros: Number(workspace.balanceMicros),
        entries: await listEntries(snapshot, id),
        generations: await listGenerations(snapshot, id),
        holds: await listHolds(snapshot, id),
        keys: (await listKeys(snapshot, id)).map(toControlKey),
      }
    })
}

/** Reads of the books what given rules speak of. */
export function readingDebits(sql: Sql): ControlHandler<'debits'> {
  const read = readingBooks(sql)
  return async (command) => {
    const { balance_micros, entries, generations } = await read(command)
    return {
      balance_micros,
      rows: entries.map(({ kind, amount_micros, description, reference }) => ({
        amount_micros,
        generation_id: kind === 'generation' ? reference : null,
        name: description,
      })),
      generations: generations.map(({ id, status, prompt_tokens, completion_tokens, cost_micros }) => ({
        ...{ id, status, prompt_tokens, completion_tokens, cost_micros },
      })),
    }
  }
}

/** Proves the whole ledger. */
export function provingLedger(sql: Sql): ControlHandler<'verifyLedger'> {
  return async () => {
    const { open_holds, differences } = await verifyLedger(sql)
    return { open_holds, differences: differences.map((difference) => ({ ...difference })) }
  }
}

// Micro-dollars of a test stay far below 2^53.
async function listEntries(sql: Queryable, workspaceId: string): Promise<ControlBooks['entries']> {
  const rows = await sql<(ControlBooks['entries'][number] & { created_at: unknown })[]>`
    select id, workspace_id, kind, amount_micros::float8, balance_after_micros::float8, description, reference,
      idempotency_key, created_at
    from ledger where workspace_id = ${workspaceId} order by number`
  return rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() }))
}

async function listGenerations(sql: Queryable, workspaceId: string): Promise<ControlBooks['generations']> {
  return await sql<ControlBooks['generations']>`
    select id, key_id, operation, model, endpoint, status, streamed, finish_reason, evidence_digest,
      prompt_tokens::float8, completion_tokens::float8, usage_source, prompt_price_micros::float8,
      completion_price_micros::float8, cost_micros::float8
    from generation_records where workspace_id = ${workspaceId} order by settled_at, id`
}

async function listHolds(sql: Queryable, workspaceId: string): Promise<ControlBooks['holds']> {
  return await sql<ControlBooks['holds']>`
    select generation_id, key_id, amount_micros::float8
    from holds where workspace_id = ${workspaceId} order by generation_id`
}
