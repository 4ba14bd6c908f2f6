import { limits } from '#contract/limits'
import type { Clock } from '#egress/clock.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { sparingly, within } from '../store/retry.ts'
import { startTicker, type Ticker } from '../store/ticker.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { openUnderAny } from './api-key.ts'
import type { Registration } from './registration.ts'
import { createReporter } from './reporter.ts'
import { listRegistrations, recordAdmission, recordDenial } from './sharing.ts'
import { Upstream } from './upstream.ts'

/** What the upstreams need from the world. */
export interface UpstreamsOptions {
  readonly sql: Sql
  /** The name of this router in events. */
  readonly replica: string
  /** What stored keys are encrypted under; read when there is one. */
  readonly secret: () => Buffer
  /** What keys of upstreams may still be stored under (OPS-28). */
  readonly previousSecrets?: readonly Buffer[]
  readonly log: Log
  /** Longest wait for a connection to an upstream. */
  readonly connectMs?: number
  readonly clock?: Clock
  /** Has checks be traces; without it none are. */
  readonly tracer?: Pick<Tracer, 'beginAlone'> | undefined
}

/** All external upstreams as this router knows them. */
export interface Upstreams {
  /** Reads the table for the first time; the first checks begin. */
  start(): Promise<void>
  find(name: string): Upstream | undefined
  /** Whether requests may name its models: those of a denied one are refused with the reason, not hidden from them. */
  isInService(name: string): boolean
  readonly all: Iterable<Upstream>
  /** Ends all checks and connections. */
  stop(): Promise<void>
}

/** How long the last events may take as a router stops (ours). */
const STOP_MS = 1_000

/** How often the table is read: what one router or an administrator writes, all know within a second (VERD-27). */
const READ_MS = 400

/** A connection that has died without a word must not keep this router from hearing of a withdrawal. */
const inTime = <T>(work: Promise<T>): Promise<T> => within(work, limits.databaseOutageMs)

/** Keeps an upstream for each registration in the table, and tells the table what this router's verdicts come to. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  const { sql, replica, secret, previousSecrets = [], log, connectMs, clock, tracer } = options
  const upstreams = new Map<string, Upstream>()
  const reporter = createReporter({ sql, replica, log })
  const asking = sparingly(limits.databaseOutageMs)
  let ticker: Ticker | undefined
  let isFailing = false
  let isStopped = false

  /** What others have said is taken in whether or not what this router has to say can be written. */
  async function read(): Promise<void> {
    const written = Promise.allSettled([inTime(reporter.flush()), inTime(shareDenials())])
    takeAll(await asking(() => listRegistrations(sql, log)))
    for (const result of await written) if (result.status === 'rejected') throw result.reason
  }

  function takeAll(registrations: readonly Registration[]): void {
    if (isStopped) return
    for (const registration of registrations) take(registration)
    const names = new Set(registrations.map(({ name }) => name))
    for (const [name, upstream] of upstreams) if (!names.has(name)) drop(name, upstream)
  }

  function take(registration: Registration): void {
    const { name, id } = registration
    const known = upstreams.get(name)
    if (known?.registration.id === id) known.apply(registration)
    else {
      if (known !== undefined) drop(name, known)
      upstreams.set(name, create(registration))
    }
  }

  function drop(name: string, upstream: Upstream): void {
    upstreams.delete(name)
    void upstream.stop()
  }

  function create(registration: Registration): Upstream {
    return new Upstream({
      registration,
      apiKey: openKey(registration),
      record: (judged, bundle) => inTime(recordAdmission(sql, judged, bundle)),
      onEvent: reporter.report,
      onDenial: () => void shareDenials().catch(() => undefined),
      log,
      tracer,
      ...(connectMs !== undefined && { connectMs }),
      ...(clock && { clock }),
    })
  }

  /** One that cannot be read leaves the upstream without: it will refuse, and this line says why. */
  function openKey({ name, id, apiKey }: Registration): string | undefined {
    try {
      return apiKey === null ? undefined : openUnderAny(apiKey, id, [secret(), ...previousSecrets])
    } catch (error) {
      log.error('the key of an upstream cannot be read: secretsKey is not what it was stored under', {
        upstream: name,
        error,
      })
      return undefined
    }
  }

  /** What cannot be written now is tried again with the next reading. */
  async function shareDenials(): Promise<void> {
    for (const { registration, unshared } of upstreams.values())
      if (unshared !== undefined) await recordDenial(sql, registration, unshared.ground)
  }

  async function readOrTell(): Promise<void> {
    try {
      await read()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn('the upstreams cannot be read; what was known of them holds', { error })
      isFailing = true
    }
  }

  return {
    async start() {
      await read()
      ticker = startTicker({ name: 'reading the upstreams', intervalMs: READ_MS, log, task: readOrTell })
    },
    find: (name) => upstreams.get(name),
    isInService: (name) => upstreams.get(name)?.registration.standing.isDisabled === false,
    get all() {
      return upstreams.values()
    },
    async stop() {
      isStopped = true
      await Promise.all([...upstreams.values()].map((upstream) => upstream.stop()))
      // A database that hangs must not keep the router from ending.
      const last = async () => {
        await ticker?.stop()
        await reporter.flush()
      }
      await within(last(), STOP_MS).catch((error) =>
        log.warn('the upstreams stop without the database', { error }),
      )
    },
  }
}
