import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The project's folder. */
export const PROJECT = join(import.meta.dirname, '..')

/** A file of the project. */
export function read(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8')
}

/** The files of a pattern, from the project's folder, in the order of their names. */
export function list(pattern: string): readonly string[] {
  const exclude = ['**/node_modules/**', '.data/**', 'dist/**', '.git/**']
  return globSync(pattern, { cwd: PROJECT, exclude }).sort()
}
