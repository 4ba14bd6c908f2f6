import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Where a run keeps all that the stack writes. */
export interface Folder {
  readonly path: string
  /** Below it: of the database alone, on a file system of its own where this machine lets us make one. */
  readonly database: string
  readonly hasOwnDisk: boolean
  remove(): Promise<void>
}

/** Room for the database and its log of writes, and little more. */
const DISK_BYTES = 671_088_640

const run = promisify(execFile)

/** Makes the folder. A file system in memory wants root; without it no disk is filled. */
export async function makeFolder(): Promise<Folder> {
  const path = mkdtempSync(join(tmpdir(), 'faults-'))
  // The database's user has to walk through.
  chmodSync(path, 0o755)
  const database = join(path, 'database')
  mkdirSync(database)
  const hasOwnDisk = await mount(database)
  return {
    path,
    database,
    hasOwnDisk,
    async remove() {
      if (hasOwnDisk) await run('umount', ['--lazy', database])
      rmSync(path, { recursive: true, force: true })
    },
  }
}

async function mount(folder: string): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=0755`, 'tmpfs', folder])
    return true
  } catch {
    return false
  }
}
