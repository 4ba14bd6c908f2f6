import { loadRouterConfig } from '../config/router.ts'
import { openDatabase } from './database.ts'
import { createLog } from './log.ts'
import { type CommonOptions, print } from './output.ts'

/** `router db migrate`: brings the tables up to date, as every other command does before it begins. */
export async function migrate(options: CommonOptions): Promise<void> {
  const database = await openDatabase(loadRouterConfig(options.config, process.env), createLog('warn'))
  const counts = await Promise.all(
    database.cells?.map(({ prepare }) => prepare()) ?? [database.applied],
  ).finally(() => database.close())
  const applied = counts.reduce((one, other) => one + other)
  const line = applied === 0 ? 'The tables are up to date.' : `Applied ${applied} migrations.`
  print(options, { applied }, [line])
}
