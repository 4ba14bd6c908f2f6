import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { createBackend } from '../../conformance/stand-ins/backend/backend.ts'
import { startRouterProcess } from '../../tests/router-process.ts'
import { type Account, createAccount } from '../../tests/service.ts'
import { startDatabase } from '../database.ts'
import type { AttackOrder, AttackReport } from './aggressor.ts'
import { attacks, type Sender } from './attacks.ts'
import type { Turn } from './compare.ts'
import { type Inside, socketOf } from './inside.ts'
import { createPayer } from './payer.ts'
import type { SinkRates } from './sink.ts'

/** The limits of production for the aggressor; the payer has as much as it can use. */
const REQUESTS_PER_MINUTE = 600
const MUCH = { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 }
const BALANCE_MICROS = 1_000_000_000n

/** How long an attack goes on before it is measured, and over what it is seen whether its end has come. */
const SETTLE_MS = 500

/** A thread that takes less than this part of the time has nothing to do. */
const CALM_PART = 0.05
const LONGEST_CALM_MS = 30_000

/** A router in a process of its own, a payer, and whoever attacks it. */
export interface World {
  /** Readies an attack by its place in the list. */
  ready(place: number): Promise<Aggressor>
  stop(): Promise<void>
}

/** An attack that is ready. */
export interface Aggressor {
  /** Measures the payer while the router, or in its place a sink, is attacked. */
  turn(against: 'router' | 'sink', forMs: number): Promise<Turn>
  stop(): void
}

/** Starts all of it. */
export async function startWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'fairness-'))
  const backend = await createBackend({ paceMs: 1 })
  await backend.play({ rules: [{ chunks: 2 }] })
  const database = await startDatabase()
  const { url, sql } = await database.open()
  const nodeOptions = `--import ${join(import.meta.dirname, 'inside.ts')}`
  const router = await startRouterProcess(url, backend.url, { folder, nodeOptions })
  const { apiKey } = await createAccount(sql, BALANCE_MICROS, MUCH)
  const payer = createPayer(router.baseUrl, apiKey)
  const inside = new Agent({ connect: { socketPath: socketOf(folder) } })
  const [sink, sinkPort] = await startSink()

  async function look(): Promise<Inside> {
    const { body } = await request('http://router/', { dispatcher: inside })
    return (await body.json()) as Inside
  }

  async function measure(forMs: number): Promise<Turn> {
    const before = await look()
    const startedAt = performance.now()
    const paid = await payer.pay(forMs)
    const after = await look()
    return {
      ...paid,
      ...after,
      threadMs: after.threadMs - before.threadMs,
      processMs: after.processMs - before.processMs,
      readBytes: after.readBytes - before.readBytes,
      ms: performance.now() - startedAt,
    }
  }

  /** What is left of an attack is the router's work for a while; the next turn does not pay for it. */
  async function calm(): Promise<void> {
    const untilMs = performance.now() + LONGEST_CALM_MS
    let last = await look()
    while (performance.now() < untilMs) {
      await sleep(SETTLE_MS)
      const now = await look()
      if (now.threadMs - last.threadMs < CALM_PART * SETTLE_MS) return
      last = now
    }
  }

  async function accountOf(sender: Sender = 'customer'): Promise<Pick<Account, 'apiKey'>> {
    if (sender === 'stranger') return { apiKey: `${apiKey.slice(0, -4)}AAAA` }
    const balance = sender === 'broke' ? 0n : BALANCE_MICROS
    return await createAccount(sql, balance, { requestsPerMinute: REQUESTS_PER_MINUTE })
  }

  return {
    async ready(place) {
      const hostile = await accountOf(attacks[place]!.sender)
      const child = fork(join(import.meta.dirname, 'aggressor.ts'), [String(place)])
      return {
        async turn(against, forMs) {
          const target = against === 'sink' ? `http://127.0.0.1:${sinkPort}/v1` : router.baseUrl
          const startedAt = performance.now()
          child.send({ url: target, apiKey: hostile.apiKey } satisfies AttackOrder)
          await sleep(SETTLE_MS)
          const turn = await measure(forMs)
          const seconds = (performance.now() - startedAt) / 1_000
          const { connections } = await rest(child)
          if (against === 'router') {
            const rates: SinkRates = {
              bytesPerSecond: (turn.readBytes * 1_000) / turn.ms,
              answersPerSecond: connections / seconds,
            }
            sink.send(rates)
          }
          await calm()
          return turn
        },
        stop: () => child.disconnect(),
      }
    },
    async stop() {
      await payer.close()
      await inside.close()
      sink.disconnect()
      await router.stop()
      await backend.close()
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startSink(): Promise<[ChildProcess, number]> {
  const sink = fork(join(import.meta.dirname, 'sink.ts'))
  const [port] = (await once(sink, 'message')) as [number]
  return [sink, port]
}

async function rest(child: ChildProcess): Promise<AttackReport> {
  child.send('rest')
  const [report] = (await once(child, 'message')) as [AttackReport]
  return report
}
