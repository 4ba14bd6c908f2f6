import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import type { Owner } from './owner.ts'
import type { Place } from './place.ts'
import { clearRemains, findPostmaster } from './postmaster.ts'

/** How the embedded server runs. What is on record is on disk: `fsync` and `synchronous_commit` stay on. */
const usual: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_preload_libraries: 'pg_stat_statements',
  max_connections: '100',
  shared_buffers: '128MB',
  // Holds come and go with every request; their remains are swept often.
  autovacuum_naptime: '10s',
  // Recovery after a crash must be over within an outage that no stream notices.
  max_wal_size: '512MB',
  checkpoint_timeout: '5min',
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements are never logged: their parameters are nobody's business.
  log_min_error_statement: 'panic',
}

/** Milliseconds, ours: long enough to recover from a crash under load. */
const START_TIMEOUT_MS = 60_000
const POLL_MS = 10
const LOG_LIMIT_BYTES = 8_388_608
const LOG_TAIL_BYTES = 2_000

/** Starts the server in a process group of its own, so that Ctrl-C does not reach it, and waits until it is ready. */
export async function launch(
  place: Place,
  { postgres }: Binaries,
  owner: Owner | undefined,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  await clearRemains(place.databaseDir)
  const logFile = join(place.folder, 'postgres.log')
  const output = openSync(logFile, sizeOf(logFile) > LOG_LIMIT_BYTES ? 'w' : 'a')
  const flags = Object.entries({ ...usual, ...settings, port: String(port) }).flatMap(([k, v]) => [
    '-c',
    `${k}=${v}`,
  ])
  const child = spawn(postgres, ['-D', place.databaseDir, ...flags], {
    ...owner,
    cwd: place.folder,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref()
  let failure: string | undefined
  child.once('error', (error) => {
    failure = error.message
  })
  child.once('exit', () => {
    failure ??= tail(logFile)
  })
  await waitUntilReady(place.databaseDir, () => failure)
  child.removeAllListeners()
}

async function waitUntilReady(databaseDir: string, failed: () => string | undefined): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!findPostmaster(databaseDir)?.isReady) {
    const failure = failed()
    if (failure !== undefined) throw new Error(`PostgreSQL did not start: ${failure}`)
    if (Date.now() > deadline) throw new Error(`PostgreSQL was not ready within ${START_TIMEOUT_MS} ms`)
    await sleep(POLL_MS)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').slice(-LOG_TAIL_BYTES).trim()
}
