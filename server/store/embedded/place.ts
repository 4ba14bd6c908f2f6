import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Owner } from './owner.ts'

/** Where the database of one data folder lives. */
export interface Place {
  /** Holds everything of the database: its files, its programs where they had to move, password, port, log. */
  readonly folder: string
  /** PostgreSQL's own data folder, inside `folder`. */
  readonly databaseDir: string
}

/** `/var/tmp` outlives a restart of the machine, unlike most `/tmp`. */
const shelters = ['/var/tmp', tmpdir()]
const NAME_LENGTH = 16

/**
 * Finds the place of a data folder's database: inside it, or, where the database's user cannot get there, in a
 * folder that it can enter, named by a hash of the data folder so that the next start finds it again.
 */
export function findPlace(dataDir: string, owner: Owner | undefined): Place {
  mkdirSync(dataDir, { recursive: true })
  const home = realpathSync(dataDir)
  const folder = !owner || canEnter(home, owner) ? join(home, 'database') : shelterOf(home, owner)
  mkdirSync(folder, { recursive: true })
  // Whatever the umask says: the database's user must be able to walk through.
  chmodSync(folder, 0o755)
  return { folder, databaseDir: join(folder, 'data') }
}

/** Whether `owner` may walk down to `folder`, by the mode of each folder on the way. */
export function canEnter(folder: string, owner: Owner): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at)
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
  }
}

function shelterOf(home: string, owner: Owner): string {
  const parent = shelters.find((shelter) => existsSync(shelter) && canEnter(shelter, owner))
  if (!parent) throw new Error(`The database's user can enter neither ${home} nor ${shelters.join(' nor ')}`)
  const name = createHash('sha256').update(home).digest('hex').slice(0, NAME_LENGTH)
  const folder = join(realpathSync(parent), `confidential-inference-router-${name}`)
  if (existsSync(folder)) refuseForeign(folder)
  return folder
}

/** Anybody may make a folder in a temporary one: a stranger's must not become our database. */
function refuseForeign(folder: string): void {
  const stat = lstatSync(folder)
  const isOurs = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
  if (!isOurs) throw new Error(`${folder} is in the way: it does not belong to this user alone`)
}
