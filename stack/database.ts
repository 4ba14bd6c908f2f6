import { findOwner } from '../server/store/embedded/owner.ts'
import { findPlace } from '../server/store/embedded/place.ts'
import { findPostmaster } from '../server/store/embedded/postmaster.ts'
import { identify, stopProcess } from './processes.ts'

const PATIENCE_MS = 10_000

/** Stops a data folder's database that nobody looks after; resolves with the folder of all that belongs to it. */
export async function stopStrayDatabase(dataDir: string): Promise<string> {
  // It may lie outside of the data folder, where the database's user can enter.
  const { folder, databaseDir } = findPlace(dataDir, await findOwner())
  const postmaster = identify(findPostmaster(databaseDir)?.pid ?? 0)
  // SIGINT is PostgreSQL's fast shutdown.
  if (postmaster) await stopProcess(postmaster, PATIENCE_MS, 'SIGINT')
  return folder
}
