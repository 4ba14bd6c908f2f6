import type { Point } from '#base/metrics.ts'
import type { EndpointConfig } from '../config/router.ts'
import type { Meter } from '../meter.ts'
import { attributes, names } from '../names.ts'
import type { Shelf } from '../publication/shelf.ts'
import type { Relay } from '../relay/relay.ts'
import { failureCauses } from '../relay/tally.ts'
import type { Sql } from '../store/connection.ts'
import { latest } from './latest.ts'
import { counter, gauge, type Metric } from './metric.ts'

/** What the gauges read at each scrape. */
export interface GaugeSources {
  /** Where holds are; each has a name where there are several. */
  readonly databases: readonly { readonly name?: string; readonly sql: Sql }[]
  readonly meter: Meter
  readonly relay: Pick<Relay, 'backends'>
  readonly shelf: Pick<Shelf, 'find'>
  readonly endpoints: () => readonly EndpointConfig[]
  /** Requests of any route that are being answered. */
  readonly activeRequests: () => number
  readonly now: () => Date
}

/** How long a scrape waits for the database before it tells what was read last, and how old that may be (OPS-19). */
const DATABASE_MS = 50
const OLDEST_MS = 15_000
const MS = 1_000

/** The metrics that are read at each scrape, as opposed to those that are counted as things happen. */
export function createGauges(sources: GaugeSources): readonly Metric[] {
  const { meter, relay, activeRequests } = sources
  const holds = sources.databases.map(({ name, sql }) => ({
    labelled: name === undefined ? {} : { labels: { cell: name } },
    read: latest(() => readHolds(sql), { waitMs: DATABASE_MS, oldestMs: OLDEST_MS }),
  }))
  let lastLoop = performance.eventLoopUtilization()

  return [
    gauge(names.httpActive, '{request}', 'Requests of any route that are being answered.', () => [
      { value: activeRequests() },
    ]),
    gauge(
      'router.generations.running',
      '{generation}',
      'Accepted by this router and not yet settled.',
      () => [{ value: meter.runningCount }],
    ),
    gauge(
      'router.settlements.waiting',
      '{generation}',
      'Ends not committed yet: the lag of the ledger.',
      () => [{ value: meter.waitingCount }],
    ),
    gauge('router.holds.open', '{hold}', 'Open holds in the database, of all routers.', () =>
      readEach(holds, ({ count }) => count),
    ),
    gauge('router.holds.oldest_age', 's', 'Age of the oldest open hold; 0 when there is none.', () =>
      readEach(holds, ({ oldestAgeMs }) => oldestAgeMs / MS),
    ),
    counter(
      'router.generations.reaped',
      '{generation}',
      'Settled because nobody else would, by cause.',
      () => [
        { value: meter.reaped.lapsed, labels: { cause: 'lease_lapsed' } },
        { value: meter.reaped.unsent, labels: { cause: 'never_sent' } },
      ],
    ),
    gauge('router.evidence.age', 's', 'Since the newest bundle of an own endpoint was signed.', () =>
      evidenceAges(sources),
    ),
    gauge('router.backends.running', '{call}', 'Calls under way to each backend of a model.', () =>
      relay.backends().map((backend) => ({ value: backend.running, labels: labelsOf(backend) })),
    ),
    gauge('router.backends.avoided', '1', '1 while the circuit of a backend is open.', () =>
      relay.backends().map((backend) => ({ value: backend.isOpen ? 1 : 0, labels: labelsOf(backend) })),
    ),
    counter('router.backends.requests', '{request}', 'Requests that each backend of a model was sent.', () =>
      relay.backends().map((backend) => ({ value: backend.tally.requests, labels: labelsOf(backend) })),
    ),
    counter(
      'router.backends.failures',
      '{request}',
      'Calls to a backend that came to nothing, by cause.',
      () =>
        relay.backends().flatMap((backend) =>
          failureCauses.map((cause) => ({
            value: backend.tally.failures[cause],
            labels: { ...labelsOf(backend), cause },
          })),
        ),
    ),
    gauge('process.memory.usage', 'By', 'Resident memory of this router.', () => [
      { value: process.memoryUsage.rss() },
    ]),
    gauge(
      'nodejs.eventloop.utilization',
      '1',
      'Share of the time since the last look that was spent busy.',
      () => {
        const loop = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(loop, lastLoop)
        lastLoop = loop
        return [{ value: utilization }]
      },
    ),
  ]
}

function labelsOf({ model, index }: { readonly model: string; readonly index: number }) {
  return { [attributes.model]: model, backend: String(index) }
}

function evidenceAges({ shelf, endpoints, now }: GaugeSources): Point[] {
  return endpoints().flatMap(({ name }) => {
    const publication = shelf.find(name)
    if (publication === undefined) return []
    const age = now().getTime() - publication.issuedAt.getTime()
    return [{ value: age / MS, labels: { endpoint: name } }]
  })
}

interface Holds {
  readonly count: number
  readonly oldestAgeMs: number
}

/** A database that does not answer is left out; throws where none does. */
async function readEach(sources: readonly HoldSource[], pick: (holds: Holds) => number): Promise<Point[]> {
  const results = await Promise.allSettled(sources.map(({ read }) => read()))
  const points = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? [{ value: pick(result.value), ...sources[index]!.labelled }] : [],
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (points.length === 0 && failed) throw failed.reason
  return points
}

interface HoldSource {
  readonly labelled: Pick<Point, 'labels'>
  read(): Promise<Holds>
}

async function readHolds(sql: Sql): Promise<Holds> {
  const [row] = await sql<{ count: bigint; age: number }[]>`
    select count(*) as count,
      coalesce(extract(epoch from clock_timestamp() - min(placed_at)), 0)::double precision as age
    from holds`
  return { count: Number(row!.count), oldestAgeMs: row!.age * MS }
}
