import { printLines } from '#base/print.ts'
import { serveWarm } from '#base/serve-warm.ts'
import { untilStopped } from '#base/stop.ts'
import { loadRouterConfig } from '../config/router.ts'
import { startRouter } from '../router.ts'
import { outliveLostLookUps } from '../store/lost-look-ups.ts'
import { supervise } from '../store/supervise.ts'
import { check } from './config.ts'
import { openDatabase } from './database.ts'
import { followHangups } from './hangup.ts'
import { createLog } from './log.ts'
import { type CommonOptions, print } from './output.ts'

/** Connections of the console alone (ours): nobody who looks at a log keeps those waiting who pay for answers. */
const CONSOLE_CONNECTIONS = 4

/** What `router run` takes. */
export interface RunOptions extends CommonOptions {
  readonly check?: true
  readonly withParent?: true
}

/** `router run`: serves until it is told to stop, then lets what runs come to its end. */
export async function run(options: RunOptions): Promise<void> {
  if (options.check) return check(options)
  const config = loadRouterConfig(options.config, process.env)
  serveWarm()
  const log = createLog('info')
  const endOutliving = outliveLostLookUps(log)
  const hangups = followHangups()
  const stopped = untilStopped(options.withParent === true, [hangups.gone])
  const database = await openDatabase(config, log, 'router')
  const supervisor = database.embedded && supervise(database.embedded, { log })
  try {
    const source = {
      file: options.config,
      load: () => loadRouterConfig(options.config, process.env),
    }
    const tell = options.json ? undefined : (line: string) => printLines([line])
    const router = await startRouter({
      config,
      source,
      sql: database.sql,
      bookings: database.bookings,
      ...(database.cells && { cells: database.cells }),
      ...(config.console && { consoleSql: database.openBeside(CONSOLE_CONNECTIONS) }),
      log,
      ...(tell && { tell }),
    })
    const address = `http://${config.listen.host}:${router.port}/v1`
    const admin = config.admin && `http://${config.admin.host}:${router.adminPort}`
    const console = config.console && `${config.console.publicUrl}/console/`
    const shown = config.console?.outbox
    const outbox = shown && `http://${shown.host}:${router.outboxPort}`
    log.info('the router serves', { address, admin, pid: process.pid, version: router.version })
    hangups.handTo(() => router.reload())
    const health = admin ? ` Health and metrics are at ${admin}.` : ''
    const others = { ...(admin && { admin }), ...(console && { console }), ...(outbox && { outbox }) }
    print(options, { address, ...others, pid: process.pid }, [
      `The router serves at ${address}.${health}`,
      ...(console ? [`The console is at ${console}.`] : []),
      ...(outbox ? [`Its mails are shown at ${outbox}, and sent to nobody.`] : []),
    ])
    log.info(`the router stops: ${await stopped}`)
    await router.stop()
  } finally {
    await supervisor?.stop()
    await database.close()
    endOutliving()
  }
  log.info('the router has stopped')
}
