import { join } from 'node:path'
import { messageOf } from '#base/thrown.ts'
import type { Log } from '../server/log.ts'
import { type Embedded, startEmbedded } from '../server/store/embedded.ts'
import { supervise } from '../server/store/supervise.ts'
import { stopStrayDatabase } from './database.ts'
import { StartFailure } from './failure.ts'

/** The embedded database, kept running until it is stopped. */
export interface Postgres {
  readonly url: string
  readonly databaseDir: string
  /** It ran before this start: whoever started it may still want it. */
  readonly adopted: boolean
  readonly pid: () => number
  unwatch(): Promise<void>
  /** Ends the watch over it, then the database. */
  stop(): Promise<void>
}

/** What the supervisor of the database tells. */
export interface PostgresEvents {
  /** It had died and serves again. */
  onReturn(): void
  /** It has died and could not be started; it is tried again. */
  onTrouble(problem: string): void
  onGiveUp(failure: StartFailure): void
}

// Ours: each try takes its own time, so this is patience enough.
const MAX_TROUBLES = 5

/** Starts the database of a data folder, or takes over the one that a killed starter left running. */
export async function startPostgres(
  dataDir: string,
  port: number,
  events: PostgresEvents,
): Promise<Postgres> {
  const embedded = await start(dataDir, port)
  const logFile = join(embedded.databaseDir, '..', 'postgres.log')
  let troubles = 0
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error(message, { error } = {}) {
      troubles += 1
      events.onTrouble(`${message}: ${messageOf(error)}`)
      if (troubles === MAX_TROUBLES) events.onGiveUp(hopeless(logFile))
    },
  }
  const onRestart = (): void => {
    troubles = 0
    events.onReturn()
  }
  const watch = supervise(embedded, { log, onRestart })
  return {
    url: embedded.url,
    databaseDir: embedded.databaseDir,
    adopted: embedded.adopted,
    pid: () => embedded.pid() ?? 0,
    unwatch: () => watch.stop(),
    async stop() {
      await watch.stop()
      await embedded.stop()
    },
  }
}

async function start(dataDir: string, port: number): Promise<Embedded> {
  const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  try {
    return await startEmbedded({ dataDir, port, log })
  } catch (error) {
    const message = messageOf(error)
    // It may have come so far that it runs.
    await stopStrayDatabase(dataDir).catch(() => undefined)
    throw new StartFailure(
      'PostgreSQL did not start.',
      [message, 'npm run reset makes a new database.'],
      error,
    )
  }
}

function hopeless(logFile: string): StartFailure {
  return new StartFailure('PostgreSQL has died and does not start again.', [`Its log says why: ${logFile}`])
}
