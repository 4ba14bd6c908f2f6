import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import type { Owner } from './owner.ts'
import type { Place } from './place.ts'

/** The database's administrator; loopback and a password are its walls. */
const USER = 'router'

const PASSWORD_BYTES = 24
const run = promisify(execFile)

/** Makes the database's files if there are none. */
export async function prepareCluster(
  place: Place,
  binaries: Binaries,
  owner: Owner | undefined,
): Promise<void> {
  for (const left of unfinishedIn(place)) clear(left)
  if (existsSync(place.databaseDir)) return
  const password = passwordFor(place)
  // A name of its own: what an interrupted first start began may go on for a moment.
  const unfinished = `${place.databaseDir}${UNFINISHED}${randomUUID()}`
  mkdirSync(unfinished, { mode: 0o700 })
  if (owner) chownSync(unfinished, owner.uid, owner.gid)
  await initialise(unfinished, password, binaries, owner)
  // A rename is all or nothing: an interrupted first start leaves no half a database behind.
  renameSync(unfinished, place.databaseDir)
}

const UNFINISHED = '.unfinished'

/**
 * Somebody may still write there, as an `initdb` that has lost its starter does, or it is another user's by now: whatever
 * keeps it from being removed keeps no database from being started.
 */
function clear(left: string): void {
  try {
    rmSync(left, { recursive: true, force: true })
  } catch {}
}

function unfinishedIn({ folder, databaseDir }: Place): readonly string[] {
  const begin = `${basename(databaseDir)}${UNFINISHED}`
  return readdirSync(folder).flatMap((name) => (name.startsWith(begin) ? [join(folder, name)] : []))
}

/** The administrator's password: whole once it is there, and the same for whoever makes the database. */
function passwordFor(place: Place): string {
  const file = passwordFileOf(place)
  // An older version has begun it, and found no room on the disk.
  if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true })
  const scratch = `${file}.${randomUUID()}`
  try {
    writeFileSync(scratch, `${randomBytes(PASSWORD_BYTES).toString('base64url')}\n`, { mode: 0o600 })
    linkSync(scratch, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(scratch, { force: true })
  }
  return passwordOf(place)
}

/** The address of one database of the server. */
export function urlOf(place: Place, port: number, database: string): string {
  return `postgres://${USER}:${passwordOf(place)}@127.0.0.1:${port}/${database}`
}

function passwordOf(place: Place): string {
  return readFileSync(passwordFileOf(place), 'utf8').trim()
}

function passwordFileOf({ folder }: Place): string {
  return join(folder, 'password')
}

async function initialise(
  folder: string,
  password: string,
  { initdb }: Binaries,
  owner: Owner | undefined,
): Promise<void> {
  const passwordFile = `${folder}.password`
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  const flags = [
    `--pgdata=${folder}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]
  try {
    await run(initdb, flags, { ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}
