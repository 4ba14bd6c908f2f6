import { openCells } from '../server/cells/open-cells.ts'
import { silent } from '../server/log.ts'
import { createMeter, type Meter } from '../server/meter.ts'
import { type Account, createAccount, finished, wideBuckets } from '../server/metering/testing.ts'
import { claimCell, claimHome } from '../server/store/cell-identity.ts'
import { type DatabaseCell, HOME } from '../server/store/cells.ts'
import type { Sql } from '../server/store/connection.ts'
import { placeKey, placeWorkspace } from '../server/store/directory.ts'
import { readArguments } from './arguments.ts'
import { startDatabase } from './database.ts'
import { serverMicros } from './server-micros.ts'

// What a second cell brings, and what the directory before it costs: the same load on one PostgreSQL and on two, in turns
// on one machine, whose processor both share.

const { rounds, seconds } = await readArguments(
  'cells',
  'Measures what a second cell brings, and what the directory before it costs.',
  { rounds: ['turns of each side', 9], seconds: ['how long a turn takes', 3] },
)
const LOOPS = 64
const WORKSPACES = 1_000

const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[all.length >> 1]!

interface Result {
  readonly rate: number
  readonly micros: number
}

const servers = await Promise.all([startDatabase(), startDatabase()])

/** Of all of these together. */
async function microsOf(databases: readonly Sql[]): Promise<number> {
  return (await Promise.all(databases.map(serverMicros))).reduce((sum, one) => sum + one, 0)
}

const meterOn = (sql: Sql): Meter =>
  createMeter({ sql, allowOverdraftMicros: () => 0, buckets: wideBuckets(), log: silent })

const balanceMicros = 1_000_000_000_000n

/** Without a directory, as a router with one database works. */
async function prepareOne(): Promise<[Meter, Sql[], Account[]]> {
  const { sql } = await servers[0].open()
  const making = Array.from({ length: WORKSPACES }, () => createAccount(sql, { balanceMicros }))
  return [meterOn(sql), [sql], await Promise.all(making)]
}

async function prepareTwo(): Promise<[Meter, Sql[], Account[]]> {
  const [{ sql: home }, { sql: other }] = [await servers[0].open(), await servers[1].open()]
  const homeId = await claimHome(home)
  await claimCell(other, homeId, 'other')
  const cell = (name: string, sql: Sql): DatabaseCell => ({ name, sql, prepare: async () => 0 })
  const { meter } = openCells({
    cells: [cell(HOME, home), cell('other', other)],
    meterOn: ({ sql }) => meterOn(sql),
    log: silent,
  })
  const making = Array.from({ length: WORKSPACES }, async (_, index) => {
    if (index % 2 === 0) return await createAccount(home, { balanceMicros })
    const account = await createAccount(other, { balanceMicros })
    const { workspaceId, keyId, caller } = account
    await placeWorkspace(home, workspaceId, 'other')
    await placeKey(home, { keyHash: Buffer.from(caller.keyHash, 'hex'), keyId, workspaceId })
    return account
  })
  return [meter, [home, other], await Promise.all(making)]
}

/** Serves for so long; generations a second, and microseconds of PostgreSQL's processor for each. */
async function createSide(prepared: Promise<[Meter, Sql[], Account[]]>) {
  const [meter, databases, accounts] = await prepared
  await meter.start()
  async function run(ms: number): Promise<Result> {
    const [before, begin] = [await microsOf(databases), performance.now()]
    let served = 0
    const loop = async (first: number): Promise<void> => {
      for (let turn = first; performance.now() - begin < ms; turn += LOOPS + 1) {
        await (await meter.accept(accounts[turn % WORKSPACES]!.applicant())).settle(finished)
        served++
      }
    }
    await Promise.all(Array.from({ length: LOOPS }, (_, index) => loop(index)))
    const took = performance.now() - begin
    return { rate: (served / took) * 1_000, micros: ((await microsOf(databases)) - before) / served }
  }
  return { run, stop: () => meter.stop() }
}

const sides = { one: await createSide(prepareOne()), two: await createSide(prepareTwo()) }
const results: Record<keyof typeof sides, Result[]> = { one: [], two: [] }
for (const side of Object.values(sides)) await side.run(seconds * 1_000)
for (let round = 0; round < rounds; round++) {
  // Who goes first changes, since the machine has other work.
  const order = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)
  for (const name of order) results[name].push(await sides[name].run(seconds * 1_000))
}
const tell = (unit: string, pick: (result: Result) => number) => {
  const ratios = results.two.map((result, round) => pick(result) / pick(results.one[round]!))
  const [one, two] = [median(results.one.map(pick)), median(results.two.map(pick))]
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  console.log(
    `1 → 2 cells: ${one.toFixed(0)} → ${two.toFixed(0)} ${unit}, ${median(ratios).toFixed(2)} times (${spread})`,
  )
}
tell('generations a second', ({ rate }) => rate)
tell('µs of PostgreSQL a generation', ({ micros }) => micros)
for (const side of Object.values(sides)) await side.stop()
await Promise.all(servers.map((server) => server.stop()))
