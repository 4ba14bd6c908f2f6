/** The database could not be reached for as long as the caller may wait. */
export class OutageError extends Error {
  override readonly name = 'OutageError'
}

/** What the driver and the operating system say when there is no connection. */
const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENOENT',
  'EMFILE',
  'ENFILE',
])

/**
 * Classes and codes of SQLSTATE that pass by themselves: connection, resources, shutdown, deadlock, failover, and a
 * connection that the database has ended because nothing followed on it. Of such an end the driver tells the next one
 * too who is given that place in the pool.
 */
const passingStates = ['08', '53', '57P', '58', '40001', '40P01', '25006', '25P03']

/** What the database says when it was told, or set, to give up a statement: cancelled, timed out, or a lock was held. */
const interruptedStates = ['57014', '55P03']

/** Whether the same statement may succeed later: the database is away, starting or short of something. */
export function isOutage(error: unknown): boolean {
  if (error instanceof OutageError) return true
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return false
  return connectionCodes.has(code) || passingStates.some((state) => code.startsWith(state))
}

/** Whether a statement that must be written in the end is worth another try: an outage, or somebody cancelled it. */
export function isPassing(error: unknown): boolean {
  if (isOutage(error)) return true
  return error instanceof Error && 'code' in error && interruptedStates.includes(error.code as string)
}

/** Whether it is an outage in which the database was not reached: one that is short of disk, memory or connections was. */
export function isUnreachable(error: unknown): boolean {
  return (
    isOutage(error) && !(error instanceof Error && 'code' in error && String(error.code).startsWith('53'))
  )
}

/** What a server says that is full, or lets a role have no more connections, and what PgBouncer says then. */
const NO_ROOM: readonly unknown[] = ['53300', '08P01']

/** Whether there was no connection to be had, though others may be there. */
export function isWithoutRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_ROOM.includes(error.code)
}
