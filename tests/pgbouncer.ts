import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findOwner } from '../server/store/embedded/owner.ts'
import { freePort } from './gateway.ts'
import { findProgram } from './needs.ts'

/** A PgBouncer in transaction mode, in front of one database. */
export interface PgBouncer {
  /** The database's address, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

/** Few, so that clients have to share them. */
const SERVER_CONNECTIONS = 4

/** Starts Debian's PgBouncer on a free loopback port. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const binary = findProgram('pgbouncer')
  if (binary === undefined) throw new Error('These tests need pgbouncer: apt-get install pgbouncer')
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const listenPort = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'router-pgbouncer-'))
  chmodSync(folder, 0o755)
  const users = join(folder, 'users.txt')
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`)
  writeFileSync(
    config,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
`,
  )
  // It refuses to run as root, as PostgreSQL does.
  const owner = await findOwner()
  const pooler = spawn(binary, [config], { ...owner, stdio: 'ignore' })
  await untilItListens(pooler, listenPort)
  const url = new URL(databaseUrl)
  url.port = String(listenPort)
  return {
    url: url.href,
    async stop() {
      const exited = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

async function untilItListens(pooler: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (pooler.exitCode !== null) throw new Error(`pgbouncer ended with exit code ${pooler.exitCode}`)
    const socket = connectSocket(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await sleep(20)
    } finally {
      socket.destroy()
    }
  }
}
