import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount, finished, startMeter } from '../server/metering/testing.ts'
import { connect, type Sql } from '../server/store/connection.ts'
import { migrate } from '../server/store/migrations.ts'
import { readArguments } from './arguments.ts'
import { startDatabase } from './database.ts'
import { serverMicros } from './server-micros.ts'

// What partitions by month cost an admission with its settlement: the tables as they were, and the same in 16 months,
// in turns on one server.

const { rounds, seconds } = await readArguments(
  'months',
  'Measures what partitions by month cost an admission with its settlement.',
  { rounds: ['turns of each side', 9], seconds: ['how long a turn takes', 3] },
)
const LOOPS = 64
const MONTHS_MORE = 12

const migrations = join(import.meta.dirname, '../server/store/migrations')
const server = await startDatabase()

async function migrateWhole(sql: Sql): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-months-'))
  for (const file of (await readdir(migrations)).filter((name) => name < '016')) {
    await cp(join(migrations, file), join(folder, file))
  }
  await migrate(sql, folder)
  await rm(folder, { recursive: true })
}

async function migrateMonths(sql: Sql): Promise<void> {
  await migrate(sql)
  for (let month = 0; month < MONTHS_MORE; month++) await sql`select begin_month()`
}

const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[all.length >> 1]!

async function prepare(prepareTables: (sql: Sql) => Promise<void>, workspaces: number) {
  const sql = connect({ url: await server.createDatabase() })
  await prepareTables(sql)
  const accounts = await Promise.all(
    Array.from({ length: workspaces }, () => createAccount(sql, { balanceMicros: 1_000_000_000_000n })),
  )
  const meter = await startMeter(sql)
  /** Serves for so long; generations a second, and microseconds of the server's processor for each. */
  async function run(ms: number): Promise<{ rate: number; micros: number }> {
    const [before, begin] = [await serverMicros(sql), performance.now()]
    let served = 0
    const loop = async (first: number): Promise<void> => {
      for (let turn = first; performance.now() - begin < ms; turn += LOOPS) {
        await (await meter.accept(accounts[turn % workspaces]!.applicant())).settle(finished)
        served++
      }
    }
    await Promise.all(Array.from({ length: LOOPS }, (_, index) => loop(index)))
    const took = performance.now() - begin
    return { rate: (served / took) * 1_000, micros: ((await serverMicros(sql)) - before) / served }
  }
  return {
    run,
    async stop() {
      await meter.stop()
      await sql.end()
    },
  }
}

for (const workspaces of [1, 200]) {
  const sides = {
    whole: await prepare(migrateWhole, workspaces),
    months: await prepare(migrateMonths, workspaces),
  }
  for (const side of Object.values(sides)) await side.run(1_000)
  const results = {
    whole: [] as { rate: number; micros: number }[],
    months: [] as { rate: number; micros: number }[],
  }
  for (let round = 0; round < rounds; round++) {
    // Who goes first changes, since the machine has other work.
    const order = round % 2 === 0 ? (['whole', 'months'] as const) : (['months', 'whole'] as const)
    for (const name of order) results[name].push(await sides[name].run(seconds * 1_000))
  }
  const ratios = (pick: (result: { rate: number; micros: number }) => number) => {
    const all = results.months.map((result, round) => pick(result) / pick(results.whole[round]!))
    return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)})`
  }
  const rateOf = (name: keyof typeof results) => median(results[name].map(({ rate }) => rate)).toFixed(0)
  const microsOf = (name: keyof typeof results) =>
    median(results[name].map(({ micros }) => micros)).toFixed(0)
  console.log(
    `${workspaces} workspaces: ${rateOf('whole')} → ${rateOf('months')} a second, ${ratios(({ rate }) => rate)}; ` +
      `${microsOf('whole')} → ${microsOf('months')} µs of PostgreSQL, ${ratios(({ micros }) => micros)}`,
  )
  for (const side of Object.values(sides)) await side.stop()
}
await server.stop()
