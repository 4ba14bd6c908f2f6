import { complain, complainOf, print } from '#base/print.ts'
import { breaks } from './break/breaks.ts'
import { runEpisodes } from './episodes.ts'
import { HELP, OptionError, parseOptions } from './options.ts'
import { linesOf, reportOf } from './report.ts'
import { startWorld } from './world/world.ts'

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args)
    if (options.help) {
      console.log(HELP)
      return 0
    }
    return await run(options)
  } catch (error) {
    complainOf(error)
    if (!(error instanceof OptionError)) return 1
    complain('npm run faults -- --help tells what there is.')
    return 2
  }
}

async function run(options: ReturnType<typeof parseOptions>): Promise<number> {
  let isOver = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      complain('Ends after this episode; once more ends at once.')
      isOver = true
    })
  }
  complain('Starting the database, Redis, the model, the platform, the routers and the proxy.')
  const begunMs = performance.now()
  const say = (line: string): void =>
    complain(`${Math.round((performance.now() - begunMs) / 1_000)} s`.padStart(6) + line)
  const world = await startWorld({ routers: options.routers, isReplicated: options.failover })
  try {
    if (!world.redis) complain('There is no redis-server here: each router counts on its own.')
    if (!world.folder.hasOwnDisk) complain('No file system can be made here without root: no disk is filled.')
    if (options.breakName !== undefined) await breaks[options.breakName]!.plant(world.database.sql)
    const outcome = await runEpisodes(world, options, say, () => isOver)
    const report = reportOf(outcome, options)
    print(options.json ? { json: true } : {}, report, linesOf(report))
    return report.kept ? 0 : 1
  } finally {
    await world.stop()
  }
}
