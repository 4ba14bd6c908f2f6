import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveFault } from './fault.ts'
import { plant } from './plant.ts'
import { fileOf, reachedIn, WATCHING } from './switch.ts'

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
    writeFileSync(join(planted, name), name.startsWith('001.') ? asks(folder) + text : text)
  }
  return planted
}

/** The folder of planted migrations below a switch's. */
export function migrationsIn(folder: string): string {
  return join(folder, 'migrations')
}

/** The switch as the database asks for it. While it is watched, each fault that is asked for leaves a file behind. */
function asks(folder: string): string {
  return `create function planted_fault_is(id text) returns boolean language plpgsql volatile as $$
declare live text := pg_read_file('${fileOf(folder)}');
begin
  if starts_with(live, '${WATCHING}') then
    execute format('copy (select) to %L', '${reachedIn(folder)}/' || substr(live, ${WATCHING.length + 1}) || '.' || id);
  end if;
  return live = id;
end $$;
`
}
