import { postEntry } from '../metering/ledger.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { createWorkspace, findWorkspace, setWorkspaceLimits } from '../store/workspaces.ts'
import { ControlError, type ControlHandler } from './handlers.ts'

/** Makes a workspace, with limits of its own where it is told any; what it starts with is a top-up. */
export function creatingWorkspaces(sql: Sql): ControlHandler<'createWorkspace'> {
  return async ({
    name = 'test',
    balance_micros: micros = 0,
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
  }) => {
    const { id } = await createWorkspace(sql, name)
    const limits = {
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    }
    if (Object.keys(limits).length > 0) await setWorkspaceLimits(sql, id, limits)
    if (micros !== 0) await post(sql, id, 'top_up', BigInt(micros))
    return { id, balance_micros: micros }
  }
}

/** Moves a balance to a sum by one adjustment. */
export function settingBalances(sql: Sql): ControlHandler<'setBalance'> {
  return async ({ workspace_id: id, balance_micros: micros }) => {
    await sql.begin(async (transaction) => {
      // No settlement may come in between.
      await transaction`select from workspaces where id = ${id} for no key update`
      const workspace = await findWorkspace(transaction, id)
      if (!workspace) throw new ControlError(`There is no workspace ${id}.`)
      const difference = BigInt(micros) - workspace.balanceMicros
      if (difference !== 0n) await post(transaction, id, 'adjustment', difference)
    })
    return { id, balance_micros: micros }
  }
}

async function post(
  sql: Queryable,
  workspaceId: string,
  kind: 'top_up' | 'adjustment',
  amountMicros: bigint,
): Promise<void> {
  await postEntry(sql, { workspaceId, kind, amountMicros, description: 'Set by a test' })
}
