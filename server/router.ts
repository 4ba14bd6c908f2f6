import { limits } from '#contract/limits'
import manifest from '../package.json' with { type: 'json' }
import { createKeyFinder } from './admission/key-finder.ts'
import type { Answer } from './answer.ts'
import type { AppDependencies } from './app.ts'
import { bodyMetrics } from './bodies/body-metrics.ts'
import type { OpenCells, OpenCellsOptions } from './cells/open-cells.ts'
import type { RouterConfig } from './config/router.ts'
import { previousSecretsKeys, readSecretsKey } from './config/secrets-key.ts'
import type { Site, SiteWorld } from './console/site.ts'
import type { Control, ControlWorld } from './control/control.ts'
import { createHelp } from './help.ts'
import { findInvitation } from './invitations/invitations.ts'
import { answerLate } from './late-answer.ts'
import { createBudget } from './limits/budget.ts'
import type { BucketName } from './limits/metrics.ts'
import { openBuckets } from './limits/open.ts'
import { listenForClients } from './listen.ts'
import { createListener } from './listener.ts'
import type { Log } from './log.ts'
import { createMeter, type MeterTimers } from './meter.ts'
import { findGeneration } from './metering/records.ts'
import { PROVIDER } from './names.ts'
import { type Admin, openAdmin } from './operations/admin.ts'
import { createCollector } from './operations/collect.ts'
import { createDrain, passes } from './operations/drain.ts'
import { createGauges } from './operations/gauges.ts'
import { createReadiness } from './operations/readiness.ts'
import { createRecorder } from './operations/recorder.ts'
import { createRequests } from './operations/requests.ts'
import { tracingMetrics } from './operations/tracing-metrics.ts'
import { Connections } from './overload/connections.ts'
import { Overload } from './overload/overload.ts'
import { overloadMetrics } from './overload/overload-metrics.ts'
import { ParseTurns } from './parsing/parse-turns.ts'
import { createPolling } from './publication/polling.ts'
import { createShelf, restore } from './publication/shelf.ts'
import { createReader } from './reading/reader.ts'
import { readerMetrics } from './reading/reader-metrics.ts'
import { SpotTime } from './reading/spot-time.ts'
import { createFleet } from './relay/fleet.ts'
import { createAnnouncer } from './reload/announcer.ts'
import { createEdition, type Edition } from './reload/edition.ts'
import { createEditions, type Editions } from './reload/editions.ts'
import { createInForce } from './reload/in-force.ts'
import { reloadMetrics } from './reload/metric.ts'
import { type ConfigSource, createReloader, type Reloaded } from './reload/reloader.ts'
import { createKeeper } from './retention/keeper.ts'
import { createDirect } from './routes/direct.ts'
import { getEndpointEvidence, getEvidence } from './routes/evidence.ts'
import { getGeneration } from './routes/generation.ts'
import { serveInference } from './routes/inference.ts'
import { getInvitation } from './routes/invitation.ts'
import { getModel, listModels } from './routes/models.ts'
import { createTurnAway } from './routes/turn-away.ts'
import type { Bookings, DatabaseCell } from './store/cells.ts'
import type { Sql } from './store/connection.ts'
import { createId } from './store/ids.ts'
import { listBundles, saveBundle } from './store/publications.ts'
import { outlast } from './store/retry.ts'
import type { Tracer, TracerOptions } from './tracing/tracer.ts'
import { createArchive } from './upstreams/archive.ts'
import { upstreamMetrics } from './upstreams/metric.ts'
import { tellUnregistered } from './upstreams/unregistered.ts'
import { createUpstreams } from './upstreams/upstreams.ts'

/** What a router needs from the world; tests pass shorter timers. */
export interface RouterDependencies {
  readonly config: RouterConfig
  /** Where it is read anew; nowhere else than it is when left out. */
  readonly source?: ConfigSource
  readonly sql: Sql
  /** `sql` does what they do when left out. */
  readonly bookings?: Bookings | undefined
  /** The databases in which workspaces live, that of `sql` first; it alone when left out. */
  readonly cells?: readonly [DatabaseCell, ...DatabaseCell[]]
  /** The console's own connections; those of the router when left out. */
  readonly consoleSql?: Sql
  readonly log: Log
  readonly now?: () => Date
  readonly meterTimers?: Partial<MeterTimers>
  /** Where the console's codes are told in development. */
  readonly tell?: (line: string) => void
}

/** A router that serves. */
export interface Router {
  readonly port: number
  /** Where tests control it, when the configuration lets them. */
  readonly controlPort: number | undefined
  /** Of the operator's listener, where there is one. */
  readonly adminPort: number | undefined
  /** Of the page that shows the console's mails in development. */
  readonly outboxPort: number | undefined
  /** The version of the configuration that it starts with. */
  readonly version: string
  /** Reads the configuration anew and takes all of it up, or nothing. */
  reload(): Reloaded
  /** Takes no new work, lets what runs end until `drainMs` have passed, then ends it as aborted. */
  stop(): Promise<void>
}

/** Wires the router's rooms together and starts to listen. */
export async function startRouter(dependencies: RouterDependencies): Promise<Router> {
  const { config, sql, log, now = () => new Date(), meterTimers = {} } = dependencies
  const { consoleSql = sql } = dependencies
  const { source = { file: 'router.yaml', load: () => config } } = dependencies
  const recorder = createRecorder(config.models.map(({ id }) => id))
  const requests = createRequests({ log, requestEnded: recorder.requestEnded })
  const { connectMs } = config.timers
  const inForce = createInForce(() => editions.current)
  const shelf = createShelf()
  restore(shelf, config.endpoints, await listBundles(sql))
  const buckets = await openBuckets({
    redis: config.redis,
    defaults: inForce.defaultLimits,
    now: () => now().getTime(),
    metrics: recorder.limits,
    log,
  })
  const meterOn = ({ sql, bookings }: Pick<DatabaseCell, 'sql' | 'bookings'>) =>
    createMeter({
      sql,
      bookings,
      allowOverdraftMicros: () => Number(inForce.config.allowOverdraftMicros),
      buckets,
      log,
      timers: meterTimers,
    })
  const open = dependencies.cells && (await openCells({ cells: dependencies.cells, meterOn, log }))
  const meter = open?.meter ?? meterOn(dependencies)
  const findKey = open?.findKey ?? createKeyFinder(sql)
  const secret = () => readSecretsKey(config)
  const origin = { service: PROVIDER, version: manifest.version, instance: meter.replica }
  const tracer = config.traces && (await openTracer({ config: config.traces, source: origin, log }))
  const upstreams = createUpstreams({
    sql,
    replica: meter.replica,
    secret,
    previousSecrets: previousSecretsKeys(config),
    log,
    connectMs,
    tracer,
  })
  const controlled = {
    ...{ sql, upstreams, secret, shelf },
    endpoints: () => inForce.config.endpoints,
    lostLimits: () => buckets.lostCount,
  }
  const editionWorld = {
    fleet: createFleet(connectMs),
    isInService: upstreams.isInService,
    observe: recorder.observe,
    collector: createCollector(),
    log,
    now,
  }
  const editions: Editions = createEditions(createEdition(config, editionWorld), log)
  const drain = createDrain(inForce.drainTimers)
  const { sourceAddressOf } = inForce
  const help = createHelp(() => inForce.config.docsUrl)
  const stalledMs = () => inForce.config.timers.stalledClientMs
  const budgetOf = (bucket: BucketName, perMinute: number) =>
    createBudget(bucket, perMinute, () => now().getTime(), recorder.limits)
  const evidence = {
    shelf,
    endpoints: inForce.ownEndpoints,
    archive: createArchive(sql),
    log,
    help,
    budget: budgetOf('evidence', limits.evidencePerMinute),
    sourceAddressOf,
  }
  const invitations = {
    find: (code: string) => outlast(() => findInvitation(sql, code)),
    budget: budgetOf('invitations', limits.invitationLookupsPerMinute),
    sourceAddressOf,
  }
  const reader = createReader({ log })
  const overload = new Overload({
    most: () => inForce.config.limits.maxRequests,
    least: () => inForce.config.limits.leastJudged,
  })
  const inference = {
    editions,
    reader,
    spotTime: new SpotTime(),
    overload,
    findKey,
    meter,
    shelf,
    upstreams,
    sourceAddressOf,
    createGenerationId: () => createId('gen-'),
    now,
    signal: drain.signal,
  }
  const models = { catalogue: inForce.catalogue, shelf, upstreams }
  const console =
    config.console &&
    (await openSite({
      ...models,
      config: config.console,
      administrators: () => inForce.config.console?.administrators ?? [],
      publicBaseUrl: config.publicBaseUrl,
      sql: consoleSql,
      secret,
      endpoints: () => inForce.config.endpoints,
      memory: () => editions.current.memory,
      sourceAddressOf,
      budgetOf,
      now,
      log,
      help,
      tell: dependencies.tell,
    }))
  const generating = {
    createChatCompletion: serveInference('chat', inference),
    createCompletion: serveInference('completions', inference),
    createEmbedding: serveInference('embeddings', inference),
  }
  const app: AppDependencies = {
    handlers: {
      ...generating,
      listModels: listModels(models),
      getModel: getModel(models),
      getGeneration: getGeneration(async (workspaceId, id) => {
        if (meter.isRunning(id)) return undefined
        if (open) return await open.find(workspaceId, (own) => findGeneration(own, workspaceId, id))
        return await outlast(() => findGeneration(sql, workspaceId, id))
      }),
      getInvitation: getInvitation(invitations),
      getEvidence: getEvidence(evidence),
      getEndpointEvidence: getEndpointEvidence(evidence),
    },
    findKey,
    corsOrigins: () => inForce.config.corsOrigins,
    requests,
    log,
    help,
    stalledMs,
    tracer,
    console: console?.app,
  }
  const late = answerLate(() => openApp(app))
  const connections = new Connections({
    most: () => inForce.config.limits.maxConnections,
    addressOf: (socket) => sourceAddressOf({ headers: {}, socket }),
  })
  const turnAway = createTurnAway({
    overload,
    ownerOf: meter.ownerOf,
    sourceAddressOf,
    corsOrigins: () => inForce.config.corsOrigins,
    requestEnded: recorder.requestEnded,
    log,
    help,
    isDraining: () => drain.isDraining,
  })
  const direct = createDirect({
    handlers: generating,
    corsOrigins: () => inForce.config.corsOrigins,
    requests,
    log,
    help,
    stalledMs,
    tracer,
  })
  const { maxHeaderBytes } = config.limits
  const turns = new ParseTurns(undefined, turnAway.familiar)
  const server = createListener(
    late.answer,
    maxHeaderBytes,
    turns,
    connections,
    turnAway.parsed,
    direct,
    help,
  )
  const polling = createPolling({
    shelf,
    save: (endpoint, publication) => saveBundle(sql, { endpoint, ...publication }),
    log,
  })
  polling.follow(config.endpoints, config.timers.evidencePollMs)

  /** All that can fail comes before the edition is in force. */
  function take(changed: RouterConfig): Edition {
    const edition = createEdition(changed, editionWorld, editions.current)
    editions.take(edition)
    shelf.keepOnly(changed.endpoints)
    polling.follow(changed.endpoints, changed.timers.evidencePollMs)
    recorder.expectModels(changed.models.map(({ id }) => id))
    tellUnregistered(changed.models, upstreams, log)
    return edition
  }

  const current = () => editions.current
  const reloader = createReloader({ source, current, take, log, now })
  const keeper = createKeeper({ databases: dependencies.cells ?? [{ sql }], log })
  const announcer = createAnnouncer({ sql, replica: meter.replica, reloader, current, log })
  let admin: Admin | undefined

  let control: Control | undefined

  async function close(): Promise<void> {
    late.stop()
    await control?.stop()
    await console?.stop()
    await announcer.stop()
    await keeper.stop()
    await polling.stop()
    await editions.close()
    await upstreams.stop()
    await reader.stop()
    await meter.stop()
    await tracer?.stop()
    buckets.close()
    // Last, so that an operator can watch the stop.
    await admin?.close()
  }

  try {
    // A cell has its tables, and its months, once its meter has begun.
    for (const one of open ? [meter, keeper] : [keeper, meter]) await one.start()
    await upstreams.start()
    tellUnregistered(config.models, upstreams, log)
    await announcer.start()
    if (config.admin) {
      const gauges = createGauges({
        databases: dependencies.cells ?? [{ sql }],
        meter,
        relay: inForce.relay,
        shelf,
        endpoints: () => inForce.config.endpoints,
        activeRequests: () => requests.active,
        now,
      })
      const notReady = createReadiness({
        isDraining: () => drain.isDraining,
        isLeased: () => meter.isLeased,
        askDatabase: () => sql`select 1`,
      })
      admin = await openAdmin(config.admin, {
        notReady,
        metrics: [
          ...recorder.metrics,
          ...gauges,
          ...bodyMetrics(inForce.memory),
          ...readerMetrics(reader),
          ...overloadMetrics(overload, connections),
          ...upstreamMetrics(upstreams),
          ...reloadMetrics(editions, reloader),
          ...(tracer ? tracingMetrics(tracer) : []),
          ...keeper.metrics,
          ...(open?.metrics ?? []),
          ...(console?.metrics ?? []),
        ],
        configVersion: () => editions.current.version,
        log,
      })
    }
    if (config.testControl) control = await openControl({ ...controlled, address: config.testControl }, log)
    const listening = await listenForClients(server, config.listen)
    return {
      version: editions.current.version,
      reload() {
        const reloaded = reloader.reload()
        announcer.changed()
        return reloaded
      },
      port: listening.port,
      controlPort: control?.port,
      adminPort: admin?.port,
      outboxPort: console?.outboxPort,
      async stop() {
        requests.endConnections()
        // They would go on for as long as somebody looks.
        await console?.endStreams()
        await drain.run(listening)
        await passes(meter.drain(), SETTLE_MS)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Generations are answered without it (`direct`): a start does not wait for its code. */
async function openApp(dependencies: AppDependencies): Promise<Answer> {
  const [{ createApp }, { createAnswer }] = await Promise.all([import('./app.ts'), import('./answer.ts')])
  return createAnswer(createApp(dependencies).fetch, dependencies.help)
}

/** Only a configuration with several databases asks for this; its code is not even loaded otherwise. */
async function openCells(options: OpenCellsOptions): Promise<OpenCells> {
  const { openCells: open } = await import('./cells/open-cells.ts')
  return open(options)
}

/** Only a configuration with traces asks for this; its code, and its client's, is not even loaded otherwise. */
async function openTracer(options: TracerOptions): Promise<Tracer> {
  const { createTracer } = await import('./tracing/tracer.ts')
  return createTracer(options)
}

/** Only a configuration with a console asks for this; its code, and that which sends mail, is not even loaded otherwise. */
async function openSite(world: SiteWorld): Promise<Site> {
  const { openSite: open } = await import('./console/site.ts')
  return await open(world)
}

/** Only a configuration written for tests asks for this; its code is not even loaded otherwise. */
async function openControl(world: ControlWorld, log: Log): Promise<Control> {
  const { startControl } = await import('./control/control.ts')
  const control = await startControl(world)
  const { address } = world
  log.warn('TEST CONTROL IS OPEN: whoever reaches it owns every balance', {
    address: `http://${address.host}:${control.port}`,
  })
  return control
}

/** How long the last settlements may take after a drain (ours). */
const SETTLE_MS = 5_000
