import { columnsOf } from '../store/columns.ts'
import type { Queryable } from '../store/connection.ts'
import type { Balance } from './balance.ts'
import { type DatabaseRequestRow, type RequestRow, toRequestRow } from './request-row.ts'

/** A workspace, and what of it is known already. */
export interface Known {
  readonly workspaceId: string
  /** Number of the last ledger row that was looked at; undefined: all that there are now are passed over. */
  readonly number: bigint | undefined
}

/** What is new of a workspace. */
export interface Changes {
  readonly balance: Balance
  /** To be known by the next look. */
  readonly number: bigint
  /** Ended, or corrected, since the last look, in that order. */
  readonly ended: readonly RequestRow[]
  /** All that run. */
  readonly running: readonly RequestRow[]
}

/** Ledger rows of one workspace at a look; what is left comes with the next one. Ours. */
const MOST_ENDED = 1_000

/** Running requests of one workspace that are shown, the newest; ours. */
const MOST_RUNNING = 500

/**
 * What is new of all these workspaces, whichever router served it, in two statements. Every end and every correction
 * has a row in the ledger, numbered without a gap in the order of their commits: nothing is passed over, as it would be
 * by a time. A workspace that does not exist is left out.
 */
export async function readChanges(
  snapshot: Queryable,
  known: readonly Known[],
): Promise<ReadonlyMap<string, Changes>> {
  const workspaces = await snapshot<WorkspaceRow[]>`
    select id, balance_micros, held_micros, ledger_entries from workspaces
    where id in ${snapshot(known.map(({ workspaceId }) => workspaceId))}`
  const entries = new Map(workspaces.map((row) => [row.id, row.ledger_entries]))
  const asked = known.flatMap(({ workspaceId, number }) => {
    const last = entries.get(workspaceId)
    return last === undefined ? [] : [{ workspaceId, number: number ?? last }]
  })
  const { text, bigint } = columnsOf(snapshot, asked)
  const rows = await snapshot<ChangedRow[]>`
    with asked as (
      select * from unnest(
        ${text(({ workspaceId }) => workspaceId)}::text[], ${bigint(({ number }) => number)}::bigint[]
      ) as a (workspace_id, number)
    )
    select r.*, k.name as key_name from (
      select
        l.number, g.workspace_id, g.id, g.created_at, g.operation, g.streamed, g.model, g.key_id, g.prompt_tokens,
        g.completion_tokens, g.cost_micros, g.latency_ms, g.time_to_first_token_ms, g.status
      from asked a
      join ledger l on l.workspace_id = a.workspace_id
        and l.number > a.number and l.number <= a.number + ${MOST_ENDED}::bigint
      -- A debit stands in the month of its record, a refund may be later.
      join generation_records g on g.workspace_id = l.workspace_id and g.id = l.reference
        and g.settled_at <= l.created_at + interval '1 day'
        and g.settled_at >= l.created_at - case l.kind when 'generation' then interval '1 day' else interval '1000 years' end
      union all
      select
        null, h.workspace_id, h.generation_id, h.created_at, h.operation, h.streamed, h.model, h.key_id, h.prompt_tokens,
        h.completion_tokens, null, null, null, 'running'
      from asked a
      cross join lateral (
        select * from holds h where h.workspace_id = a.workspace_id
        order by h.generation_id desc limit ${MOST_RUNNING}
      ) h
    ) r
    join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
    order by r.number`
  const rowsOf = Map.groupBy(rows, ({ workspace_id: id }) => id)
  const changesOf = (workspace: WorkspaceRow, number: bigint): Changes => {
    const own = rowsOf.get(workspace.id) ?? []
    const upTo = number + BigInt(MOST_ENDED)
    return {
      balance: { balanceMicros: workspace.balance_micros, heldMicros: workspace.held_micros },
      number: upTo < workspace.ledger_entries ? upTo : workspace.ledger_entries,
      ended: own.filter((row) => row.number !== null).map(toRequestRow),
      running: own.filter((row) => row.number === null).map(toRequestRow),
    }
  }
  const numbers = new Map(asked.map(({ workspaceId, number }) => [workspaceId, number]))
  return new Map(workspaces.map((row) => [row.id, changesOf(row, numbers.get(row.id)!)]))
}

interface WorkspaceRow {
  readonly id: string
  readonly balance_micros: bigint
  readonly held_micros: bigint
  readonly ledger_entries: bigint
}

interface ChangedRow extends DatabaseRequestRow {
  readonly workspace_id: string
  readonly number: bigint | null
}
