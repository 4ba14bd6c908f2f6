import { expect } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { startRedis } from '../server/limits/testing.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer } from '../server/store/testing.ts'
import { type Answer, ask } from './answer.ts'
import { type RouterProcess, type RouterProcessOptions, startRouterProcess } from './router-process.ts'
import { type Account, balanceOf } from './service.ts'

/** Three routers, each a process of its own, on one PostgreSQL and one Redis. */
export interface Replicas {
  readonly routers: readonly RouterProcess[]
  readonly backend: Backend
  readonly sql: Sql
  /** Starts another in the place of one that is gone. */
  replace(index: number): Promise<void>
  stop(): Promise<void>
}

/** Starts them all at once, on an empty database. */
export async function startReplicas(options: RouterProcessOptions = {}): Promise<Replicas> {
  const [server, redis] = await Promise.all([startTestServer(), startRedis()])
  const backend = await createBackend({ paceMs: 1 })
  const { url, sql } = await server.open()
  const start = () => startRouterProcess(url, backend.url, { ...options, redisUrl: redis.url })
  const routers = await Promise.all([start(), start(), start()])
  return {
    routers,
    backend,
    sql,
    async replace(index) {
      routers[index] = await start()
    },
    async stop() {
      await Promise.all(routers.map((router) => router.kill()))
      await backend.close()
      await redis.stop()
      await server.stop()
    },
  }
}

/** That many at once, spread evenly over all routers and keys, every other one a stream. */
export function askAll({ routers }: Replicas, apiKeys: readonly string[], count: number): Promise<Answer[]> {
  const requests = Array.from({ length: count }, (_, index) =>
    ask(routers[index % routers.length]!, apiKeys[index % apiKeys.length]!, index % 2 === 0),
  )
  return Promise.all(requests)
}

/**
 * Asserts that the ledger adds up, no hold is open, each of `served` generations has one row, and the balance is below
 * zero by the cost of one at most.
 */
export async function expectSound(sql: Sql, { workspaceId }: Account, served: number): Promise<void> {
  expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
  const [row] = await sql<{ records: bigint; most: bigint; rows: bigint }[]>`
    select count(*) as records, coalesce(max(cost_micros), 0) as most,
      (select count(*) from ledger where workspace_id = ${workspaceId} and kind = 'generation') as rows
    from generations where workspace_id = ${workspaceId}`
  expect(row).toMatchObject({ records: BigInt(served), rows: BigInt(served) })
  expect(await balanceOf(sql, workspaceId)).toBeGreaterThanOrEqual(-row!.most)
}
