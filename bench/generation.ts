import { createAccount, finished, startMeter } from '../server/metering/testing.ts'
import type { Sql } from '../server/store/connection.ts'
import { readArguments } from './arguments.ts'
import { startDatabase } from './database.ts'
import { serverMicros } from './server-micros.ts'

// What one generation costs PostgreSQL, admission and settlement: bytes of tables and indexes, bytes of log, and the
// processor's time as more and fewer of them share a statement, in turns.

const { rounds, seconds } = await readArguments(
  'generation',
  'Measures what one generation costs PostgreSQL: bytes, log and processor time.',
  { rounds: ['turns of each side', 7], seconds: ['how long a turn takes', 3] },
)
const balanceMicros = 1_000_000_000_000n
const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[all.length >> 1]!
const server = await startDatabase()

interface Turn {
  readonly served: number
  readonly micros: number
  readonly logBytes: number
}

async function createSide(workspaces: number, loops: number) {
  const { sql } = await server.open()
  const making = Array.from({ length: workspaces }, () => createAccount(sql, { balanceMicros }))
  const accounts = await Promise.all(making)
  const meter = await startMeter(sql)
  const empty = await tableBytes(sql)
  const turns: Turn[] = []
  async function turn(ms: number): Promise<Turn> {
    const [before, log, begun] = [await serverMicros(sql), await logBytes(sql), performance.now()]
    let served = 0
    const loop = async (first: number): Promise<void> => {
      for (let next = first; performance.now() - begun < ms; next += loops) {
        await (await meter.accept(accounts[next % workspaces]!.applicant())).settle(finished)
        served++
      }
    }
    await Promise.all(Array.from({ length: loops }, (_, index) => loop(index)))
    const [micros, written] = [(await serverMicros(sql)) - before, (await logBytes(sql)) - log]
    return { served, micros: micros / served, logBytes: written / served }
  }
  return {
    workspaces,
    loops,
    turns,
    turn,
    async diskBytes() {
      await sql`vacuum`
      const served = await sql<{ count: number }[]>`select count(*)::integer as count from generations`
      return ((await tableBytes(sql)) - empty) / served[0]!.count
    },
    stop: () => meter.stop(),
  }
}

async function tableBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace`
  return row!.bytes
}

/** All that the server has logged so far: one side has it to itself in its turn. */
async function logBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`
  return row!.bytes
}

const sides = []
for (const workspaces of [1, 1_000]) {
  for (const loops of [1, 8, 64, 256]) sides.push(await createSide(workspaces, loops))
}
for (const side of sides) await side.turn(seconds * 1_000)
for (let round = 0; round < rounds; round++) {
  // Who goes first changes, since the machine has other work.
  for (const index of sides.keys()) {
    const side = sides[(index + round) % sides.length]!
    side.turns.push(await side.turn(seconds * 1_000))
  }
}
for (const side of sides) {
  const full = sides.find((one) => one.workspaces === side.workspaces && one.loops === 256)!
  const ratios = side.turns.map(({ micros }, round) => micros / full.turns[round]!.micros)
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  const log = median(side.turns.map((one) => one.logBytes)).toFixed(0)
  console.log(
    `${side.workspaces} workspaces, ${side.loops} at once: ${(await side.diskBytes()).toFixed(0)} bytes of tables, ${log} of log, ` +
      `${median(ratios).toFixed(2)} times (${spread}) the processor of 256 at once, ${side.turns.reduce((sum, one) => sum + one.served, 0)} served`,
  )
}
for (const side of sides) await side.stop()
await server.stop()
