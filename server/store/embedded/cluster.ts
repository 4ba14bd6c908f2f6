import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  if (existsSync(place.databaseDir)) return
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  writeFileSync(passwordFileOf(place), `${password}\n`, { mode: 0o600 })
  const unfinished = `${place.databaseDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  if (owner) chownSync(unfinished, owner.uid, owner.gid)
  await initialise(unfinished, password, binaries, owner)
  // A rename is all or nothing: an interrupted first start leaves no half a database behind.
  renameSync(unfinished, place.databaseDir)
}

/** The address of one database of the server. */
export function urlOf(place: Place, port: number, database: string): string {
  const password = readFileSync(passwordFileOf(place), 'utf8').trim()
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`
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
