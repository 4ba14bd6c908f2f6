import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveFault } from './fault.ts'
import { plant } from './plant.ts'
import { fileOf } from './switch.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Where the product keeps its migrations, from the root of the repository. */
export const MIGRATIONS = 'server/store/migrations'

/** Writes the migrations with their faults planted; the database reads the switch by itself. Gives their folder. */
export function plantMigrations(folder: string, faults: readonly LiveFault[]): string {
  const planted = migrationsIn(folder)
  mkdirSync(planted)
  for (const name of readdirSync(join(ROOT, MIGRATIONS))) {
    const file = `${MIGRATIONS}/${name}`
    const own = faults.filter((fault) => fault.file === file)
    const text = plant(readFileSync(join(ROOT, file), 'utf8'), own)
    writeFileSync(join(planted, name), name.startsWith('001.') ? asks(fileOf(folder)) + text : text)
  }
  return planted
}

/** The folder of planted migrations below a switch's. */
export function migrationsIn(folder: string): string {
  return join(folder, 'migrations')
}

function asks(file: string): string {
  return `create function planted_fault_is(id text) returns boolean language sql volatile
as $$ select pg_read_file('${file}') = id $$;
`
}
