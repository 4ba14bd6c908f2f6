import { visible } from '#base/foreign-text.ts'
import type { JournalStatus } from '../journal/open.ts'
import type { Count } from './tally.ts'
import type { EndpointView, ProxyView } from './view.ts'

/** The type of Prometheus' text form. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** One metric of each endpoint. */
interface EndpointMetric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  read(endpoint: EndpointView): readonly Count[] | number | undefined
}

const MS_PER_SECOND = 1_000

const endpointMetrics: readonly EndpointMetric[] = [
  {
    name: 'proxy_endpoint_admitted',
    type: 'gauge',
    help: 'Whether the endpoint holds a live verdict.',
    read: (endpoint) => (endpoint.status().verdict.state === 'admitted' ? 1 : 0),
  },
  {
    name: 'proxy_verdict_expires_seconds',
    type: 'gauge',
    help: 'How long the verdict lives on unless it is renewed; absent without one.',
    read: (endpoint) => seconds(endpoint.status().verdict.expires_in_ms),
  },
  {
    name: 'proxy_checks_total',
    type: 'counter',
    help: 'Checks of the evidence, by result and by what refused.',
    read: ({ tally }) => tally.checks,
  },
  {
    name: 'proxy_leaves_refused_total',
    type: 'counter',
    help: 'Connections that showed another certificate than the verdict names, and were sent nothing.',
    read: ({ tally }) => tally.refusedLeaves,
  },
  {
    name: 'proxy_requests_running',
    type: 'gauge',
    help: 'Requests under way.',
    read: ({ tally }) => tally.running,
  },
  {
    name: 'proxy_requests_forwarded_total',
    type: 'counter',
    help: 'Requests of which something was sent to the endpoint.',
    read: ({ tally }) => tally.forwarded,
  },
  {
    name: 'proxy_requests_total',
    type: 'counter',
    help: 'Requests that have ended: answered, left, or the code of the error that the proxy gave.',
    read: ({ tally }) => tally.endings,
  },
]

/** One metric of the journal. */
interface JournalMetric extends Pick<EndpointMetric, 'name' | 'type' | 'help'> {
  read(journal: JournalStatus): number
}

const journalMetrics: readonly JournalMetric[] = [
  {
    name: 'proxy_journal_writable',
    type: 'gauge',
    help: 'Whether the last lines could be written; absent where no journal is kept.',
    read: ({ state }) => (state === 'failing' ? 0 : 1),
  },
  {
    name: 'proxy_journal_continued',
    type: 'gauge',
    help: 'Whether the journal goes on in another file, because somebody else changed the one before.',
    read: ({ continues }) => (continues === undefined ? 0 : 1),
  },
  {
    name: 'proxy_journal_waiting_lines',
    type: 'gauge',
    help: 'Lines of the journal that wait for the disk.',
    read: ({ waiting_lines }) => waiting_lines,
  },
  {
    name: 'proxy_journal_lost_lines_total',
    type: 'counter',
    help: 'Lines that were lost because more came than can wait; the journal counts them, too.',
    read: ({ lost_lines }) => lost_lines,
  },
]

/** Everything that can be counted, in Prometheus' text form; labels come from the configuration and the contract. */
export function renderMetrics(view: ProxyView): string {
  const { version, startedAt, endpoints } = view
  const journal = view.journal()
  const lines = [
    ...head('proxy_build_info', 'gauge', 'The program.'),
    sample('proxy_build_info', { version }, 1),
    ...head('process_start_time_seconds', 'gauge', 'When the process was started.'),
    sample('process_start_time_seconds', {}, startedAt.getTime() / MS_PER_SECOND),
    ...head('process_resident_memory_bytes', 'gauge', 'Memory of the process.'),
    sample('process_resident_memory_bytes', {}, process.memoryUsage.rss()),
    ...endpointMetrics.flatMap((metric) => render(metric, endpoints)),
    ...(journal === undefined
      ? []
      : journalMetrics.flatMap(({ name, type, help, read }) => [
          ...head(name, type, help),
          sample(name, {}, read(journal)),
        ])),
  ]
  return `${lines.join('\n')}\n`
}

function render({ name, type, help, read }: EndpointMetric, endpoints: readonly EndpointView[]): string[] {
  const samples = endpoints.flatMap((endpoint) => {
    const label = { endpoint: endpoint.status().name }
    const value = read(endpoint)
    if (value === undefined) return []
    if (typeof value === 'number') return sample(name, label, value)
    return value.map((count) => sample(name, { ...label, ...count.labels }, count.value))
  })
  return [...head(name, type, help), ...samples]
}

function head(name: string, type: EndpointMetric['type'], help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function sample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${value}`
}

function escapeLabel(text: string): string {
  return visible(text).replace(/[\\"]/g, '\\$&')
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / MS_PER_SECOND
}
