/** What was thrown, for a log; other members than these may hold a statement's parameters. */
export function describe(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown ? { code: thrown.code } : {}
  return { name, ...code, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}

/** What was thrown, in its own words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
