import type { Sql } from 'postgres'

/** What is written of a request: a row is committed before the model is asked, and again before its answer ends. */
export interface Books {
  /** Resolves to the row's number once it is on the disk. */
  hold(): Promise<number>
  settle(row: number): Promise<void>
}

const ROWS_OF_A_PROGRAM = 2 ** 32

/** One table and no index but its key; whatever arrives while a commit is under way shares the next one. */
export async function openBooks(sql: Sql): Promise<Books> {
  await sql`create table if not exists floor_books (id bigint primary key, is_settled boolean not null default false)`
  await sql`create sequence if not exists floor_programs`
  const [program] = await sql<{ number: string }[]>`select nextval('floor_programs')::text as number`
  // A cold start is measured beside the program that goes on.
  let id = Number(program!.number) * ROWS_OF_A_PROGRAM
  const hold = together((ids) => sql`insert into floor_books (id) select unnest(${ids}::bigint[])`)
  const settle = together(
    (ids) => sql`update floor_books set is_settled = true where id = any(${ids}::bigint[])`,
  )
  return {
    async hold() {
      const row = ++id
      await hold(row)
      return row
    },
    settle,
  }
}

/** Does something for many at once, as soon as it is done for those before. */
function together(does: (ids: number[]) => PromiseLike<unknown>): (id: number) => Promise<void> {
  let next: { readonly ids: number[]; readonly done: Promise<void> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  return (id) => {
    if (next === undefined) {
      const ids: number[] = []
      const done = running.then(async () => {
        next = undefined
        await does(ids)
      })
      // Who waits for one that failed is told so; who comes behind it is not.
      running = done.catch(() => {})
      next = { ids, done }
    }
    next.ids.push(id)
    return next.done
  }
}
