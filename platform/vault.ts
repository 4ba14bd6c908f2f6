import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of keys and certificates. Files are replaced as a whole; errors of the file system pass through. */
export interface Vault {
  /** The full name of a file in it. */
  pathOf(name: string): string
  /** Reads a file; undefined when there is none. */
  read(name: string): string | undefined
  /** Writes a file that nobody else may read. */
  writeSecret(name: string, text: string): void
  /** Writes a file for everybody. */
  writePublic(name: string, text: string): void
}

const SECRET_MODE = 0o600
const PUBLIC_MODE = 0o644

/** Opens the folder and makes it when there is none. */
export function openVault(folder: string): Vault {
  mkdirSync(folder, { recursive: true })
  const pathOf = (name: string): string => join(folder, name)
  return {
    pathOf,
    read: (name) => (existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : undefined),
    writeSecret: (name, text) => writeWhole(pathOf(name), text, SECRET_MODE),
    writePublic: (name, text) => writeWhole(pathOf(name), text, PUBLIC_MODE),
  }
}

/** Writes a file aside and renames it, so that a reader, or a start after a crash, finds the old one or the new one. */
function writeWhole(path: string, text: string, mode: number): void {
  const aside = `${path}.${process.pid}`
  writeFileSync(aside, text, { mode, flush: true })
  renameSync(aside, path)
}
