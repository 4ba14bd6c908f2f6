import { ConfigError } from '../../config/error.ts'
import type { Sql } from './connection.ts'

/**
 * What admission and settlement have for themselves: each a pool of one connection, as each sends one statement at a time. The
 * driver gives a statement to the connection that has rested longest, so that among several each was cold; and a pool
 * of one does not grow (see `renewPool`).
 */
export interface Bookings {
  readonly admission: Sql
  readonly settlement: Sql
}

/** Connections of both together. */
export const BOOKING_CONNECTIONS = 2

/** The cell at `database.url`. */
export const HOME = 'home'

/** A database in which workspaces live, each with all that is its own (OPS-24). */
export interface DatabaseCell {
  readonly name: string
  readonly sql: Sql
  /** `sql` does what they do when left out. */
  readonly bookings?: Bookings | undefined
  /**
   * Brings its tables up to date and makes sure that it is the cell that is meant; resolves how many migrations were
   * applied. Throws `ConfigError` when it is not, and whatever the database says when it is away.
   */
  prepare(): Promise<number>
}

/** The mistake of a setting that contradicts what the databases know (OPS-26). */
export function cellError(path: string, message: string): ConfigError {
  return new ConfigError('The configuration', [{ path, message }])
}
