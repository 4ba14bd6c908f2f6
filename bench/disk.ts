import { createAccount, finished, startMeter } from '../server/metering/testing.ts'
import { connect } from '../server/store/connection.ts'
import { migrate } from '../server/store/migrations.ts'
import { readArguments } from './arguments.ts'
import { startDatabase } from './database.ts'

// What a request takes on PostgreSQL's disk: in tables and indexes, and in the log that is archived for restores.
// Bytes do not depend on how busy the machine is.

const { requests, workspaces } = await readArguments(
  'disk',
  'Counts the bytes that a request takes on the disk of PostgreSQL, in tables, indexes and log.',
  { requests: ['requests that are served', 50_000], workspaces: ['whose they are', 200] },
)
const LOOPS = 64

const server = await startDatabase()
const sql = connect({ url: await server.createDatabase() })
await migrate(sql)
const accounts = await Promise.all(
  Array.from({ length: workspaces }, () => createAccount(sql, { balanceMicros: 1_000_000_000_000n })),
)
const meter = await startMeter(sql)

interface Sizes {
  readonly table: number
  readonly indexes: number
}

/** Bytes of each table and of its indexes; parts of a month's are under the table's own name. */
async function look(): Promise<ReadonlyMap<string, Sizes>> {
  const rows = await sql<{ name: string; table: bigint; indexes: bigint }[]>`
    select coalesce(parent.relname, class.relname) as name,
      sum(pg_table_size(class.oid))::bigint as table, sum(pg_indexes_size(class.oid))::bigint as indexes
    from pg_class class
      left join pg_inherits on inhrelid = class.oid
      left join pg_class parent on parent.oid = inhparent
    where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace
    group by 1`
  return new Map(
    rows.map(({ name, table, indexes }) => [name, { table: Number(table), indexes: Number(indexes) }]),
  )
}

/** How many bytes of the log there have been. */
async function logged(): Promise<number> {
  const [{ bytes }] = await sql<[{ bytes: bigint }]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as bytes`
  return Number(bytes)
}

const [before, logBefore] = [await look(), await logged()]
let left = requests
const serve = async (): Promise<void> => {
  while (left-- > 0) {
    await (await meter.accept(accounts[left % workspaces]!.applicant())).settle(finished)
  }
}
await Promise.all(Array.from({ length: LOOPS }, serve))
const log = (await logged()) - logBefore
tell('as they lie', await look())
await sql`vacuum full`
tell('packed anew', await look())
console.log(`of the log: ${(log / requests).toFixed(0)} bytes a request`)
await meter.stop()
await sql.end()
await server.stop()

function tell(title: string, now: ReadonlyMap<string, Sizes>): void {
  const grown = [...now].map(([name, { table, indexes }]) => {
    const old = before.get(name) ?? { table: 0, indexes: 0 }
    return { name, table: (table - old.table) / requests, indexes: (indexes - old.indexes) / requests }
  })
  const sum = grown.reduce((all, { table, indexes }) => all + table + indexes, 0)
  console.log(`${title}: ${sum.toFixed(0)} bytes a request, of ${requests}`)
  for (const { name, table, indexes } of grown.filter((one) => one.table + one.indexes >= 1)) {
    console.log(`  ${name}: ${table.toFixed(0)}, and ${indexes.toFixed(0)} of indexes`)
  }
}
