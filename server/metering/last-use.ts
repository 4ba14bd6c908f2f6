import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'

/** When keys were last used, written now and then and never on a request's path (KEY-19). */
export interface LastUse {
  note(keyId: string, workspaceId: string): void
  write(): Promise<void>
}

/** Remembers the keys used since the last write: at most one entry per key. */
export function createLastUse(sql: Sql): LastUse {
  let used = new Map<string, string>()
  return {
    note(keyId, workspaceId) {
      used.set(keyId, workspaceId)
    },
    async write() {
      if (used.size === 0) return
      const { text } = columnsOf(sql, [...used])
      used = new Map()
      // Keys that are busy settling are passed over: waiting for them could deadlock, and their turn comes again.
      await sql`
        with free as (
          select k.workspace_id, k.id
          from unnest(${text(([keyId]) => keyId)}::text[], ${text(([, workspaceId]) => workspaceId)}::text[])
            as used (id, workspace_id)
          join api_keys k on k.workspace_id = used.workspace_id and k.id = used.id
          for no key update of k skip locked
        )
        update api_keys k set last_used_at = clock_timestamp()
        from free where k.workspace_id = free.workspace_id and k.id = free.id`
    },
  }
}
