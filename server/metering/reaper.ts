import type { Buckets } from '../limits/buckets.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { findLapsed, findOwn, forgetReplicas, type Orphan } from './orphans.ts'
import { costMicros } from './price.ts'
import type { RunningSet } from './running.ts'
import type { Settlement, SettlementItem, SettlementResult } from './settlement.ts'

/** What the reaper needs from the world. */
export interface ReaperOptions {
  readonly sql: Sql
  readonly replica: string
  readonly leaseMs: number
  readonly settlement: Settlement
  readonly running: RunningSet
  /** What an orphan has used is taken from them, by whoever settles it. */
  readonly buckets: Buckets
  readonly log: Log
}

/** Settles the holds whose router died, or whose admission's answer was lost. */
export interface Reaper {
  /** Settles the holds of routers whose lease has lapsed, with the tokens last checkpointed. */
  reap(): Promise<void>
  /** Settles this router's own holds that no request of it stands behind, with nothing: nothing was sent. */
  sweep(): Promise<void>
  /** How many it has settled so far. */
  readonly reaped: Reaped
}

/** Generations that ended without a router to end them, by cause. */
export interface Reaped {
  /** Their router's lease had lapsed. */
  lapsed: number
  /** The answer to their admission was lost, and nothing was sent. */
  unsent: number
}

/** Makes the reaper of one router; several may work at once, each hold still ends exactly once. */
export function createReaper(options: ReaperOptions): Reaper {
  const { sql, replica, leaseMs, settlement, running, buckets, log } = options
  const reaped: Reaped = { lapsed: 0, unsent: 0 }

  async function settle(orphan: Orphan): Promise<SettlementResult> {
    const result = await settlement.settle(toItem(orphan)).written
    if (result === 'settled') await buckets.debit(orphan.key, orphan.promptTokens + orphan.completionTokens)
    return result
  }

  async function settleAll(message: string, orphans: readonly Orphan[]): Promise<number> {
    if (orphans.length === 0) return 0
    const results = await Promise.allSettled(orphans.map(settle))
    const count = results.filter(
      (result) => result.status === 'fulfilled' && result.value === 'settled',
    ).length
    if (count > 0) log.warn(message, { count })
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') continue
      const { generationId } = orphans[index]!
      log.error('a hold cannot be settled', { generationId, error: result.reason })
    }
    return count
  }

  return {
    reaped,
    async reap() {
      const lapsed = await findLapsed({ sql, replica, leaseMs })
      reaped.lapsed += await settleAll('generations of a lapsed router were settled', lapsed)
    },
    async sweep() {
      const own = await findOwn(sql, replica)
      const { ids } = running
      const unknown = own.filter((orphan) => !ids.has(orphan.generationId))
      const nothing = unknown.map((orphan) => ({ ...orphan, promptTokens: 0, completionTokens: 0 }))
      reaped.unsent += await settleAll('holds without a request were released', nothing)
      await forgetReplicas(sql)
    },
  }
}

function toItem(orphan: Orphan): SettlementItem {
  const { workspaceId, generationId, promptTokens, completionTokens, pricing, latencyMs } = orphan
  return {
    workspaceId,
    generationId,
    status: 'aborted',
    finishReason: null,
    promptTokens,
    completionTokens,
    usageSource: 'counted',
    costMicros: costMicros({ promptTokens, completionTokens }, pricing),
    latencyMs,
    timeToFirstTokenMs: null,
  }
}
