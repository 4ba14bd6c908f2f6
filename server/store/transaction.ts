import type { Queryable, Sql } from './connection.ts'

/** Runs `work` in a transaction of its own, or within the one that the caller is in. */
export async function inTransaction<T>(
  sql: Queryable,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  if (!isDatabase(sql)) return await work(sql)
  // In an object: the driver's types would take a list for a list of statements.
  const { result } = await sql.begin(async (transaction) => ({ result: await work(transaction) }))
  return result
}

function isDatabase(sql: Queryable): sql is Sql {
  return 'begin' in sql
}
