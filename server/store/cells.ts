import { ConfigError } from '../../config/error.ts'
import type { Sql } from './connection.ts'

/** The cell at `database.url`. */
export const HOME = 'home'

/** A database in which workspaces live, each with all that is its own (OPS-24). */
export interface DatabaseCell {
  readonly name: string
  readonly sql: Sql
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
