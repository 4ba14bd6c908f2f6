import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '#contract/limits'
import { verifyLedger } from '../../server/metering/verify-ledger.ts'
import { startRouterProcess } from '../../tests/router-process.ts'
import { createAccount } from '../../tests/service.ts'
import { startDatabase } from '../database.ts'
import type { LoadOrder, LoadReport } from './load.ts'

const MUCH = { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 }
const BALANCE_MICROS = 1_000_000_000n

/** How often health and metrics are asked for. */
const ASKED_MS = 250

/** What was seen of a router meanwhile. */
export interface Watched {
  /** Milliseconds, sorted. */
  readonly healthMs: readonly number[]
  readonly metricsMs: readonly number[]
  readonly largestBytes: number
  /** The most requests at a time, by where they were. */
  readonly most: Readonly<Record<string, number>>
}

/** Where requests can be, as the metrics tell. */
const queues = {
  held: /^router_requests_held\{stage="held"\} (\d+)/m,
  judged: /^router_requests_held\{stage="judged"\} (\d+)/m,
  at_backend: /^router_backends_running\{[^}]*\} (\d+)/m,
  settling: /^router_settlements_waiting (\d+)/m,
}

/** A router in a process of its own, a quick backend in another, and loads in more of them. */
export interface World {
  /** Sends loads at the same time, each of a workspace of its own, by their places. */
  load(orders: readonly Omit<LoadOrder, 'port' | 'apiKey'>[]): Promise<readonly LoadReport[]>
  /** Asks for health and metrics until what it gives is called. */
  watch(): () => Promise<Watched>
  /** Resident memory of the router. */
  memoryBytes(): number
  /** Generations that are in the books, and what is wrong with these. */
  books(): Promise<{ readonly generations: number; readonly openHolds: number; readonly wrong: number }>
  stop(): Promise<void>
}

/** Starts all of it, for so many workspaces; the backend thinks for so long. */
export async function startWorld(workspaces: number, thinksMs: number): Promise<World> {
  const [backend, backendPort] = await start('backend.ts', String(thinksMs))
  const database = await startDatabase()
  const { url, sql } = await database.open()
  const router = await startRouterProcess(url, `http://127.0.0.1:${backendPort}/v1`, {
    leastJudged: limits.leastJudged,
  })
  const port = Number(new URL(router.baseUrl).port)
  const customers = await Promise.all(
    Array.from({ length: workspaces }, async () => {
      const { apiKey } = await createAccount(sql, BALANCE_MICROS, MUCH)
      return { apiKey, child: fork(join(import.meta.dirname, 'load.ts')) }
    }),
  )

  async function ask(path: string): Promise<{ readonly ms: number; readonly text: string }> {
    const begun = performance.now()
    const response = await fetch(`${router.adminUrl}${path}`)
    const text = await response.text()
    return { ms: performance.now() - begun, text }
  }

  const memoryBytes = (): number => residentBytes(router.child.pid!)

  return {
    async load(orders) {
      return await Promise.all(
        orders.map(async (order, place) => {
          const { apiKey, child } = customers[place]!
          child.send({ ...order, port, apiKey } satisfies LoadOrder)
          const [report] = (await once(child, 'message')) as [LoadReport]
          return report
        }),
      )
    },
    watch() {
      const healthMs: number[] = []
      const metricsMs: number[] = []
      const most: Record<string, number> = {}
      let largestBytes = 0
      let isOver = false
      const watching = (async () => {
        while (!isOver) {
          healthMs.push((await ask('/healthz')).ms)
          const { ms, text } = await ask('/metrics')
          metricsMs.push(ms)
          for (const [name, pattern] of Object.entries(queues)) {
            const [, value] = pattern.exec(text) ?? []
            most[name] = Math.max(most[name] ?? 0, Number(value))
          }
          largestBytes = Math.max(largestBytes, memoryBytes())
          await sleep(ASKED_MS)
        }
      })()
      return async () => {
        isOver = true
        await watching
        const sorted = (times: number[]) => times.sort((a, b) => a - b)
        return { healthMs: sorted(healthMs), metricsMs: sorted(metricsMs), largestBytes, most }
      }
    },
    memoryBytes,
    async books() {
      const { generations, open_holds: openHolds, differences } = await verifyLedger(sql)
      return { generations: Number(generations), openHolds: Number(openHolds), wrong: differences.length }
    },
    async stop() {
      for (const { child } of customers) child.disconnect()
      await router.stop()
      backend.disconnect()
      await database.stop()
    },
  }
}

async function start(file: string, ...args: string[]): Promise<[ChildProcess, number]> {
  const child = fork(join(import.meta.dirname, file), args)
  const [port] = (await once(child, 'message')) as [number]
  return [child, port]
}

/** Of a process, as Linux tells it. */
function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}
