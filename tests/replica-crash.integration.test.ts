// @module-tag redis-server

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Answer } from './answer.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { askAll, expectSound, type Replicas, startReplicas } from './replicas.ts'
import { createAccount } from './service.ts'

/** What the contract gives a crash to be settled in. */
const RECOVERY_MS = 30_000

/** Of 600 requests so many are under way or over when a router is killed. */
const MID_LOAD = 200

let replicas: Replicas

beforeAll(async () => {
  replicas = await startReplicas()
})

afterAll(() => replicas.stop())

test('kill -9 of one of three routers under 3 × 200 requests, and then of another: within 30 s no hold is open, and no generation is unrecorded, lost or doubled', async () => {
  const { sql, routers, backend } = replicas
  const account = await createAccount(sql, 500_000_000n)
  const received = () => backend.requests().at(-1)?.sequence ?? 0
  const answers: Answer[] = []
  let killedAt = 0
  // The first one never comes back, the second does, and the third lives on.
  for (const victim of [0, 1]) {
    const load = askAll(replicas, [account.apiKey], 600)
    const before = received()
    await vi.waitUntil(() => received() > before + MID_LOAD, { timeout: 30_000, interval: 1 })
    await routers[victim]!.kill()
    killedAt = performance.now()
    const these = await load
    answers.push(...these)
    expect(these.filter((answer, place) => place % 3 === 2 && !answer.isWhole)).toEqual([])
    expect(these.some(({ isWhole }, place) => place % 3 === victim && !isWhole)).toBe(true)
  }
  await replicas.replace(1)
  const recovery = { timeout: RECOVERY_MS, interval: 250 }
  await vi.waitFor(async () => expect((await verifyLedger(sql)).open_holds).toBe(0), recovery)
  expect(performance.now() - killedAt).toBeLessThan(RECOVERY_MS)

  const records = await sql<{ id: string; status: string }[]>`select id, status from generations`
  await expectSound(sql, account, records.length)
  // Whatever a backend has seen was accepted before, so each of its calls has a record.
  expect(received()).toBeLessThanOrEqual(records.length)
  const statusOf = new Map(records.map(({ id, status }) => [id, status]))
  const known = answers.filter(({ generationId }) => generationId !== null)
  expect(known.filter(({ generationId }) => !statusOf.has(generationId!))).toEqual([])
  // Whoever saw the end of an answer finds it recorded as whole; the reverse need not hold for one that was cut.
  expect(known.filter((one) => one.isWhole && statusOf.get(one.generationId!) !== 'ok')).toEqual([])
  expect(new Set(known.map(({ generationId }) => generationId)).size).toBe(known.length)
  const reaped = await Promise.all(
    routers.slice(1).map(async ({ adminUrl }) => {
      const samples = await readMetrics(adminUrl)
      return valueIn(samples, 'router_generations_reaped_total', { cause: 'lease_lapsed' })!
    }),
  )
  expect(reaped[0]! + reaped[1]!).toBeGreaterThan(0)
})
