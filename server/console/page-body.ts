import { toCursor } from './cursor.ts'

/** A page of a list in JSON. */
interface PageBody<Body> {
  data: Body[]
  next: string | null
}

/** Makes a page of what was read for it: one row more than it has, if there are so many. */
export function toPageBody<Row, Body>(
  read: readonly Row[],
  limit: number,
  { toBody, placeOf }: { readonly toBody: (row: Row) => Body; readonly placeOf: (row: Row) => string[] },
): PageBody<Body> {
  const rows = read.slice(0, limit)
  const last = read.length > limit ? rows.at(-1) : undefined
  return { data: rows.map(toBody), next: toCursor(last && placeOf(last)) }
}
