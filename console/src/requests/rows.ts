import type { RequestPage, RequestRow } from '#contract/console/models'

/**
 * The pages with a row that has come, or has changed: in its place where it stands already, else at the top where it
 * belongs there. A row that has ended never runs again, whatever comes late.
 */
export function withRow(pages: readonly RequestPage[], row: RequestRow, belongs: boolean): RequestPage[] {
  const isThere = pages.some((page) => page.data.some(({ id }) => id === row.id))
  if (isThere) {
    return pages.map((page) => ({
      ...page,
      data: page.data.map((old) => (old.id === row.id && !isOutdated(row, old) ? row : old)),
    }))
  }
  const [first, ...others] = pages
  if (first === undefined || !belongs) return [...pages]
  const at = first.data.findIndex(({ created_at }) => Date.parse(created_at) <= Date.parse(row.created_at))
  // Older than all that is shown: it stands on a page that has not been asked for.
  if (at === -1 && first.next !== null) return [...pages]
  const data = [...first.data]
  data.splice(at === -1 ? data.length : at, 0, row)
  return [{ ...first, data }, ...others]
}

function isOutdated(row: RequestRow, old: RequestRow): boolean {
  return row.status === 'running' && old.status !== 'running'
}
