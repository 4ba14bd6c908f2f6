import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { connect } from './connection.ts'
import { findBinaries } from './embedded/binaries.ts'
import { prepareCluster, urlOf } from './embedded/cluster.ts'
import { launch } from './embedded/launch.ts'
import { withLock } from './embedded/lock.ts'
import { findOwner } from './embedded/owner.ts'
import { findPlace } from './embedded/place.ts'
import { choosePort } from './embedded/port.ts'
import { awaitPostmaster, findPostmaster } from './embedded/postmaster.ts'
import { isOutage } from './outage.ts'

/** Which data folder's database, and on which port if that matters. */
export interface EmbeddedOptions {
  readonly dataDir: string
  /** Taken if it is free; else the port of the last start, else any. */
  readonly port?: number
  /** Of the server, in place of the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
  readonly log: Log
}

/** The PostgreSQL server that comes with the router. It outlives the process that started it. */
export interface Embedded {
  readonly url: string
  /** PostgreSQL's own data folder; not below `dataDir` where its user could not enter. */
  readonly databaseDir: string
  /** Whether somebody else started the server that runs now: whoever did not start it should not stop it. */
  readonly adopted: boolean
  pid(): number | undefined
  /** Starts it again if it died. Resolves true if that was needed. */
  ensureRunning(): Promise<boolean>
  /** Fast shutdown: clients are disconnected, what is committed stays. */
  stop(): Promise<void>
  /** Looks whether it is needed, and stops it otherwise: nobody starts or adopts it in between. Resolves whether it is stopped. */
  stopUnless(isNeeded: () => Promise<boolean>): Promise<boolean>
}

const DATABASE = 'router'
/** How long the server may take to stop, and how often it is looked at (ours). */
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 10

/**
 * How often a server is asked that was stopped by somebody who knows nothing of the lock, or that is too slow for a first
 * answer, and after which rest (ours).
 */
const MAX_TRIES = 5
const RETRY_MS = 200

/** Starts the embedded server of a data folder, or adopts the one that runs. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, port: wanted, settings, log } = options
  const owner = await findOwner()
  const place = findPlace(dataDir, owner)
  const { databaseDir } = place

  async function begin(preferred: number | undefined): Promise<number> {
    const binaries = findBinaries(place, owner)
    await prepareCluster(place, binaries, owner)
    const port = await choosePort(place, preferred)
    await launch(place, binaries, owner, port, settings)
    log.info('the database has started', { path: databaseDir, pid: findPostmaster(databaseDir)?.pid ?? 0 })
    return port
  }

  const alone = <T>(task: () => Promise<T>): Promise<T> => withLock(join(place.folder, 'lock'), task)

  /** Ready afterwards; tells the port and whether this call started it. */
  async function bringUp(preferred: number | undefined): Promise<{ port: number; started: boolean }> {
    let started = false
    for (let tries = 1; ; tries++) {
      const running = await awaitPostmaster(databaseDir)
      const port = running?.port ?? (await begin(preferred))
      started ||= running === undefined
      try {
        await createDatabase(urlOf(place, port, 'postgres'), urlOf(place, port, DATABASE))
        return { port, started }
      } catch (error) {
        if (isOutage(error) && tries < MAX_TRIES) {
          await sleep(RETRY_MS)
          continue
        }
        // Nobody would know of it, and stop it.
        if (started) await stop(databaseDir)
        throw error
      }
    }
  }

  const { port, started } = await alone(() => bringUp(wanted))
  let adopted = !started
  return {
    url: urlOf(place, port, DATABASE),
    databaseDir,
    get adopted() {
      return adopted
    },
    pid: () => findPostmaster(databaseDir)?.pid,
    async ensureRunning() {
      if (findPostmaster(databaseDir)?.isReady) return false
      const again = await alone(() => bringUp(port))
      if (again.port !== port) throw new Error(`The database came back on port ${again.port}, not ${port}`)
      adopted = !again.started
      return again.started
    },
    stop: () => stop(databaseDir),
    stopUnless: (isNeeded) =>
      alone(async () => {
        if (await isNeeded()) return false
        await stop(databaseDir)
        return true
      }),
  }
}

/**
 * Looked after each time, also where somebody else has started the server, who may have been interrupted, or had no room on the
 * disk; PostgreSQL has no `create database if not exists`.
 */
async function createDatabase(serverUrl: string, url: string): Promise<void> {
  const server = connect({ url: serverUrl, maxConnections: 1 })
  const database = connect({ url, maxConnections: 1 })
  try {
    const [found] = await server`select from pg_database where datname = ${DATABASE}`
    if (!found) await server`create database ${server(DATABASE)}`
    await database`create extension if not exists pg_stat_statements`
  } finally {
    // Where the server goes away meanwhile the driver waits for ever otherwise.
    await Promise.all([server.end({ timeout: 1 }), database.end({ timeout: 1 })])
  }
}

async function stop(databaseDir: string): Promise<void> {
  const pid = findPostmaster(databaseDir)?.pid
  if (pid === undefined) return
  signal(pid, 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (findPostmaster(databaseDir)?.pid === pid) {
    if (Date.now() > deadline) signal(pid, 'SIGQUIT')
    await sleep(POLL_MS)
  }
}

/** It may have ended by itself since it was looked for. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
