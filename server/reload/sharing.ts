import type { Queryable } from '../store/connection.ts'

/** What a router says of itself. */
export interface RouterState {
  readonly replica: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly takenUpAt: Date
  /** Number of the newest reload that was asked for and that it has acted upon; 0 for none. */
  readonly answered: bigint
  /** Why its last reload was refused. */
  readonly refusal: { readonly at: Date; readonly message: string } | undefined
}

/** A router with a lease. */
export interface LivingRouter {
  readonly replica: string
  /** Undefined: it has not said anything yet, or is of a release that does not. */
  readonly state: RouterState | undefined
}

/** Writes down what a router runs; it must hold a lease. */
export async function recordState(sql: Queryable, state: RouterState): Promise<void> {
  const { replica, host, pid, version, takenUpAt, answered, refusal } = state
  await sql`
    insert into router_configs (replica, host, pid, version, taken_up_at, answered, refused_at, refusal)
    values (${replica}, ${host}, ${pid}, ${version}, ${takenUpAt}, ${answered}, ${refusal?.at ?? null},
      ${refusal?.message ?? null})
    on conflict (replica) do update set
      version = excluded.version, taken_up_at = excluded.taken_up_at, answered = excluded.answered,
      refused_at = excluded.refused_at, refusal = excluded.refusal`
}

/** What a router has to know: the newest reload that was asked for, and whether its own state still stands there. */
export async function readAsked(
  sql: Queryable,
  replica: string,
): Promise<{ readonly asked: bigint; readonly isRecorded: boolean }> {
  const [row] = await sql<{ asked: bigint; is_recorded: boolean }[]>`
    select coalesce(max(number), 0) as asked,
      exists (select from router_configs where replica = ${replica}) as is_recorded
    from config_reloads`
  return { asked: row!.asked, isRecorded: row!.is_recorded }
}

/** Asks every router to read its configuration anew. Resolves the number by which they answer. */
export async function askReload(sql: Queryable): Promise<bigint> {
  const [row] = await sql<{ number: bigint }[]>`
    insert into config_reloads default values returning number`
  return row!.number
}

/** Every router with a lease, the oldest first. */
export async function listRouters(sql: Queryable): Promise<LivingRouter[]> {
  const rows = await sql<Row[]>`
    select r.id, c.host, c.pid, c.version, c.taken_up_at, c.answered, c.refused_at, c.refusal
    from replicas r left join router_configs c on c.replica = r.id
    where r.lapses_at > clock_timestamp() order by r.id`
  return rows.map((row) => ({
    replica: row.id,
    state: row.version === null ? undefined : toState(row),
  }))
}

/** Nothing but its id where a router has said nothing. */
type Row = { readonly id: string } & (
  | { readonly version: null }
  | {
      readonly version: string
      readonly host: string
      readonly pid: number
      readonly taken_up_at: Date
      readonly answered: bigint
      readonly refused_at: Date | null
      readonly refusal: string | null
    }
)

function toState(row: Exclude<Row, { readonly version: null }>): RouterState {
  const { id: replica, host, pid, version, taken_up_at: takenUpAt, answered } = row
  const { refused_at: at, refusal: message } = row
  const refusal = at === null || message === null ? undefined : { at, message }
  return { replica, host, pid, version, takenUpAt, answered, refusal }
}
