import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The project's folder. */
export const PROJECT = join(import.meta.dirname, '..', '..')

/** A folder that has all of the project in it, and that a reader may write to. */
export interface Clone {
  readonly folder: string
  remove(): void
}

const OWN = new Set(['.data', '.git'])

/** Makes the folder; `data` stands for the `.data` of `npm start`. */
export function createClone(data: string): Clone {
  const folder = mkdtempSync(join(tmpdir(), 'clone-'))
  for (const name of readdirSync(PROJECT)) {
    if (!OWN.has(name)) symlinkSync(join(PROJECT, name), join(folder, name))
  }
  symlinkSync(data, join(folder, '.data'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
