import { type MetricHead, type Point, printMetrics, type ReadMetric } from '#base/metrics.ts'
import type { JournalStatus } from '../journal/open.ts'
import type { EndpointView, ProxyView } from './view.ts'

/** One metric of each endpoint. */
interface EndpointMetric extends MetricHead {
  read(endpoint: EndpointView): readonly Point[] | number | undefined
}

const MS_PER_SECOND = 1_000

const endpointMetrics: readonly EndpointMetric[] = [
  {
    name: 'proxy_endpoint_admitted',
    kind: 'gauge',
    description: 'Whether the endpoint holds a live verdict.',
    read: (endpoint) => (endpoint.status().verdict.state === 'admitted' ? 1 : 0),
  },
  {
    name: 'proxy_verdict_expires_seconds',
    kind: 'gauge',
    description: 'How long the verdict lives on unless it is renewed; absent without one.',
    read: (endpoint) => seconds(endpoint.status().verdict.expires_in_ms),
  },
  {
    name: 'proxy_checks_total',
    kind: 'counter',
    description: 'Checks of the evidence, by result and by what refused.',
    read: ({ tally }) => tally.checks,
  },
  {
    name: 'proxy_leaves_refused_total',
    kind: 'counter',
    description: 'Connections that showed another certificate than the verdict names, and were sent nothing.',
    read: ({ tally }) => tally.refusedLeaves,
  },
  {
    name: 'proxy_requests_running',
    kind: 'gauge',
    description: 'Requests under way.',
    read: ({ tally }) => tally.running,
  },
  {
    name: 'proxy_requests_forwarded_total',
    kind: 'counter',
    description: 'Requests of which something was sent to the endpoint.',
    read: ({ tally }) => tally.forwarded,
  },
  {
    name: 'proxy_requests_total',
    kind: 'counter',
    description: 'Requests that have ended: answered, left, or the code of the error that the proxy gave.',
    read: ({ tally }) => tally.endings,
  },
]

/** One metric of the journal. */
interface JournalMetric extends MetricHead {
  read(journal: JournalStatus): number
}

const journalMetrics: readonly JournalMetric[] = [
  {
    name: 'proxy_journal_writable',
    kind: 'gauge',
    description: 'Whether the last lines could be written; absent where no journal is kept.',
    read: ({ state }) => (state === 'failing' ? 0 : 1),
  },
  {
    name: 'proxy_journal_continued',
    kind: 'gauge',
    description: 'Whether the journal goes on in another file, because somebody else changed the one before.',
    read: ({ continues }) => (continues === undefined ? 0 : 1),
  },
  {
    name: 'proxy_journal_waiting_lines',
    kind: 'gauge',
    description: 'Lines of the journal that wait for the disk.',
    read: ({ waiting_lines }) => waiting_lines,
  },
  {
    name: 'proxy_journal_lost_lines_total',
    kind: 'counter',
    description: 'Lines that were lost because more came than can wait; the journal counts them, too.',
    read: ({ lost_lines }) => lost_lines,
  },
]

/** Everything that can be counted, in Prometheus' text form; labels come from the configuration and the contract. */
export function renderMetrics(view: ProxyView): string {
  const { version, startedAt, endpoints } = view
  const journal = view.journal()
  const one = (value: number) => [{ value }]
  return printMetrics([
    {
      name: 'proxy_build_info',
      kind: 'gauge',
      description: 'The program.',
      points: [{ value: 1, labels: { version } }],
    },
    {
      name: 'process_start_time_seconds',
      kind: 'gauge',
      description: 'When the process was started.',
      points: one(startedAt.getTime() / MS_PER_SECOND),
    },
    {
      name: 'process_resident_memory_bytes',
      kind: 'gauge',
      description: 'Memory of the process.',
      points: one(process.memoryUsage.rss()),
    },
    ...endpointMetrics.map((metric) => readOf(metric, endpoints)),
    ...(journal === undefined
      ? []
      : journalMetrics.map((metric) => ({ ...metric, points: one(metric.read(journal)) }))),
  ])
}

function readOf(metric: EndpointMetric, endpoints: readonly EndpointView[]): ReadMetric {
  const points = endpoints.flatMap((endpoint) => {
    const labels = { endpoint: endpoint.status().name }
    const read = metric.read(endpoint) ?? []
    const found = typeof read === 'number' ? [{ value: read }] : read
    return found.map((point) => ({ ...point, labels: { ...labels, ...point.labels } }))
  })
  return { ...metric, points }
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / MS_PER_SECOND
}
