import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { startRedis } from '../server/limits/testing.ts'
import type { Sql } from '../server/store/connection.ts'
import { HASTY, startTestServer, type TestServer } from '../server/store/testing.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import type { Account } from './service.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

/** Three routers, each a process of its own, on two PostgreSQL servers and one Redis. */
export interface CellService {
  readonly routers: readonly RouterProcess[]
  readonly backend: Backend
  readonly home: { readonly server: TestServer; readonly sql: Sql }
  readonly other: { readonly server: TestServer; readonly sql: Sql }
  /** Runs a command on the configuration of the routers, or on `alone.yaml` with home alone; gives what it printed. */
  command<Document>(...words: readonly string[]): Promise<Document>
  /** Starts a command, whose words a test reads and which it may kill. */
  launch(...words: readonly string[]): ChildProcess
  /** By commands, in the cell of that name. */
  createAccount(cell: 'home' | 'other', dollars: string): Promise<Account>
  /** Another router; the test ends it. */
  startRouter(): Promise<RouterProcess>
  stop(): Promise<void>
}

/** What a server needs that a workspace is to leave. */
export const LOGICAL = { ...HASTY, wal_level: 'logical' }

/** Starts them all at once on empty databases; the cells are called `home` and `other`. */
export async function startCells(requestsPerMinute: number, settings = HASTY): Promise<CellService> {
  const folder = mkdtempSync(join(tmpdir(), 'cells-'))
  const [homeServer, otherServer, redis] = await Promise.all([
    startTestServer(settings),
    startTestServer(settings),
    startRedis(),
  ])
  const backend = await createBackend({ paceMs: 1 })
  const home = await homeServer.open()
  const other = await otherServer.open()
  const cells = [{ name: 'other', url: other.url }]
  const start = (own?: string) =>
    startRouterProcess(home.url, backend.url, {
      cells,
      requestsPerMinute,
      redisUrl: redis.url,
      ...(own !== undefined && { folder: own }),
    })
  // The first one's file is the commands' as well.
  const routers = await Promise.all([start(folder), start(), start()])
  const whole = readFileSync(join(folder, 'router.yaml'), 'utf8')
  writeFileSync(join(folder, 'alone.yaml'), whole.replace(JSON.stringify(cells), '[]'))

  const env = { ...process.env, DATABASE_URL: home.url }

  async function command<Document>(...words: readonly string[]): Promise<Document> {
    const { stdout } = await promisify(execFile)(LAUNCHER, [...words, '--json'], { cwd: folder, env })
    return JSON.parse(stdout) as Document
  }

  return {
    routers,
    backend,
    home: { server: homeServer, sql: home.sql },
    other: { server: otherServer, sql: other.sql },
    command,
    launch: (...words) => spawn(LAUNCHER, [...words, '--json'], { cwd: folder, env }),
    startRouter: () => start(),
    async createAccount(cell, dollars) {
      const { id } = await command<{ id: string }>('workspace', 'create', '--name', 'Test', '--cell', cell)
      await command('credit', id, dollars, '--reason', 'Test')
      const key = await command<{ id: string; api_key: string }>(
        'key',
        'create',
        '--workspace',
        id,
        '--name',
        'Test',
      )
      return { workspaceId: id, keyId: key.id, apiKey: key.api_key }
    },
    async stop() {
      await Promise.all(routers.map((router) => router.kill()))
      await backend.close()
      await redis.stop()
      await Promise.all([homeServer.stop(), otherServer.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** SIGKILL to a whole database server; resolves once it is gone. */
export async function killServer({ embedded }: TestServer): Promise<void> {
  process.kill(embedded.pid()!, 'SIGKILL')
  await vi.waitUntil(() => embedded.pid() === undefined, { timeout: 60_000 })
}
