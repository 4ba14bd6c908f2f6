import type postgres from 'postgres'

/** What the driver leaves hanging on a statement that is over; its types do not have it. */
interface Carried {
  args: unknown
  parameters: unknown
  string: unknown
  signature: unknown
}

/**
 * The rows of a statement that is made again and again; it holds neither them nor its parameters afterwards, unless it
 * fails. In each one the driver assigns functions to properties (`this.resolve = …`), and what is assigned so V8 makes
 * among what is old: until it collects that, it takes all that hangs on a statement for alive, and copies it
 * (docs/performance.md).
 */
export async function rowsOf<Row>(statement: postgres.PendingQuery<Row[] & object[]>): Promise<Row[]> {
  const result = await statement
  const rows: Row[] = []
  // A copy of the driver's own kind of array takes V8 ten times as long.
  for (let place = 0; place < result.length; place++) rows.push(result[place]!)
  result.length = 0
  const nothing: Carried = { args: undefined, parameters: undefined, string: undefined, signature: undefined }
  Object.assign(statement, nothing)
  return rows
}
