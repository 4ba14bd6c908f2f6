import type { RunningGeneration } from '../server/metering/generation.ts'
import { COST_MICROS, createAccount, finished, HOLD_MICROS, startMeter } from '../server/metering/testing.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import { readArguments } from './arguments.ts'
import { startDatabase } from './database.ts'
import { assertDurable } from './run/subjects/database.ts'

/** Settlements a second, of one workspace. */
const PROMISED = 15_000

const { seconds, clients } = await readArguments(
  'settlement',
  'Settles generations of one workspace as fast as can be, and looks whether one is lost; exits with 1 when it is too slow.',
  { seconds: ['how long it settles, admissions not counted', 60], clients: ['settlements at a time', 1_024] },
)

/** What is admitted, and then settled, in one go. */
const BLOCK = 20_000
/** More than any run can hold or spend. */
const BALANCE_MICROS = BigInt(HOLD_MICROS) * 1_000_000_000n

const server = await startDatabase()
try {
  const { sql } = await server.open()
  await assertDurable(sql)
  const account = await createAccount(sql, { balanceMicros: BALANCE_MICROS })
  const meter = await startMeter(sql)
  const rates: number[] = []
  let ms = 0
  while (ms < seconds * 1_000) {
    const held: RunningGeneration[] = []
    await together(async () => void held.push(await meter.accept(account.applicant())))
    const begun = performance.now()
    await together(async () => void (await held.pop()!.settle(finished)))
    const took = performance.now() - begun
    ms += took
    rates.push((BLOCK / took) * 1_000)
    console.log(`${(ms / 1_000).toFixed(1)} s  ${rates.at(-1)!.toFixed(0)} a second`)
  }
  await meter.stop()
  await assertDurable(sql)

  const settled = rates.length * BLOCK
  const perSecond = (settled / ms) * 1_000
  const books = await verifyLedger(sql)
  const [workspace] = await sql<{ spent: bigint }[]>`
    select ${BALANCE_MICROS}::bigint - balance_micros as spent from workspaces where id = ${account.workspaceId}`
  const isWhole =
    books.differences.length === 0 &&
    books.open_holds === 0 &&
    books.generations === settled &&
    BigInt(workspace!.spent) === BigInt(settled * COST_MICROS)
  console.log(
    `\n${settled} settled in ${(ms / 1_000).toFixed(1)} s: ${perSecond.toFixed(0)} a second, ${PROMISED} are promised; ` +
      `blocks of ${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`,
  )
  console.log(
    `On record ${books.generations}, taken of the balance ${workspace!.spent} of ${settled * COST_MICROS} micro-dollars, ` +
      `holds open ${books.open_holds}, sums that are wrong ${books.differences.length}.`,
  )
  if (perSecond < PROMISED || !isWhole) process.exitCode = 1
} finally {
  await server.stop()
}

/** Does a block's work, so many at a time. */
async function together(work: () => Promise<void>): Promise<void> {
  let left = BLOCK
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: clients }, worker))
}
