import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import { connect } from '../server/store/connection.ts'
import { type Answer, ask } from './answer.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { createAccount } from './service.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby } from './standby.ts'

/** Closed loops at each router. */
const LOOPS = 8
/** Whole answers before the database is killed, and after. */
const BEFORE = 200
const AFTER = 200

let databases: PrimaryAndStandby
let backend: Backend
let routers: readonly RouterProcess[]

beforeAll(async () => {
  databases = await startPrimaryAndStandby()
  backend = await createBackend({ paceMs: 1 })
  routers = await Promise.all([0, 1].map(() => startRouterProcess(databases.url, backend.url)))
})

afterAll(async () => {
  await Promise.all(routers.map((router) => router.kill()))
  await backend.close()
  await databases.stop()
})

test('a database that is killed and whose synchronous standby takes its place costs no answer that was given its record', async () => {
  const before = connect({ url: databases.url, maxConnections: 2 })
  const { apiKey } = await createAccount(before, 500_000_000n)
  await before.end()

  const answers: Answer[] = []
  let isOver = false
  const whole = () => answers.filter(({ isWhole }) => isWhole).length
  const loads = routers.flatMap((router) =>
    Array.from({ length: LOOPS }, async (_, place) => {
      while (!isOver) answers.push(await ask(router, apiKey, place % 2 === 0))
    }),
  )
  try {
    await vi.waitUntil(() => whole() >= BEFORE, { timeout: 60_000, interval: 5 })
    await databases.failOver()
    const sofar = whole()
    await vi.waitUntil(() => whole() >= sofar + AFTER, { timeout: 60_000, interval: 5 })
  } finally {
    isOver = true
    await Promise.all(loads)
  }

  const after = connect({ url: databases.standbyUrl, maxConnections: 2 })
  try {
    await vi.waitFor(
      async () => expect(await verifyLedger(after)).toMatchObject({ open_holds: 0, differences: [] }),
      { timeout: 60_000, interval: 250 },
    )
    const records = await after<{ id: string; status: string }[]>`select id, status from generations`
    const statusOf = new Map(records.map(({ id, status }) => [id, status]))
    const lost = answers.filter(
      ({ isWhole, generationId }) => isWhole && statusOf.get(generationId!) !== 'ok',
    )
    expect(lost).toEqual([])
  } finally {
    await after.end()
  }
})
