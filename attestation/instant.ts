const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Reads a time of RFC 3339: with `T`, seconds and a zone. Throws a `TypeError` for all else that `Date` would take. */
export function parseInstant(text: string): Date {
  const instant = new Date(RFC3339.test(text) ? text : Number.NaN)
  if (Number.isNaN(instant.getTime())) throw new TypeError('A point in time is written as in RFC 3339.')
  return instant
}
