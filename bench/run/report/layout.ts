import { REQUEST_CLIENTS } from '../measures/requests.ts'
import type { Section } from './sections.ts'

const DATABASE_MICROS = 'cpuMicros.database'

/** The tables of the report, in their order. */
export const sections: readonly Section[] = [
  {
    title: 'Requests a second',
    words:
      'Requests that do not stream, each client one after the other. "≥" stands where load and model had no more to give. Nobody refuses here: the router\'s own bound on what waits is raised (`limits.leastJudged`), so that 2,000 clients are a queue; by default it refuses, see [More than it can do](#more-than-it-can-do).',
    columns: REQUEST_CLIENTS.map((clients) => ({
      heading: clientsIn(clients),
      measure: `requests-${clients}`,
      figure: 'perSecond',
    })),
  },
  {
    title: 'Processor time a request',
    words: 'Microseconds of all its processes, and of its PostgreSQL behind the plus.',
    columns: REQUEST_CLIENTS.map((clients) => ({
      heading: clientsIn(clients),
      measure: `requests-${clients}`,
      figure: 'cpuMicros',
      plus: DATABASE_MICROS,
    })),
  },
  {
    title: 'Processor time of each program',
    words:
      'The same with 64 clients, microseconds; the platform stands between proxy and router, as the second forwarder does behind the first.',
    columns: ['proxy', 'platform', 'first', 'second', 'router', 'database'].map((program) => ({
      heading: program,
      measure: 'requests-64',
      figure: `cpuMicros.${program}`,
    })),
  },
  {
    title: 'Milliseconds a request',
    words: 'Until the end of the answer, the 99th percentile.',
    columns: REQUEST_CLIENTS.map((clients) => ({
      heading: clientsIn(clients),
      measure: `requests-${clients}`,
      figure: 'p99Ms',
    })),
  },
  {
    title: 'Statements a request',
    words: 'As PostgreSQL counts them (`pg_stat_statements`); what arrives together shares them.',
    columns: REQUEST_CLIENTS.map((clients) => ({
      heading: clientsIn(clients),
      measure: `requests-${clients}`,
      figure: 'statements',
    })),
  },
  {
    title: 'Streams',
    words:
      'Unpaced: 16 streams of 100 chunks (and of 1,000), each written as soon as the connection takes it. Paced: 100 streams, each a chunk every 20 ms; a delay is from when the model writes a chunk to when it is read.',
    columns: [
      { heading: 'unpaced, chunks a second', measure: 'chunks-unpaced', figure: 'perSecond' },
      { heading: 'µs a chunk', measure: 'chunks-unpaced', figure: 'cpuMicros', plus: DATABASE_MICROS },
      {
        heading: 'of 1,000 chunks, µs a chunk',
        measure: 'chunks-long',
        figure: 'cpuMicros',
        plus: DATABASE_MICROS,
      },
      { heading: 'paced, µs a chunk', measure: 'chunks-paced', figure: 'cpuMicros', plus: DATABASE_MICROS },
      { heading: 'delay p50, ms', measure: 'chunks-paced', figure: 'delayP50Ms' },
      { heading: 'delay p99, ms', measure: 'chunks-paced', figure: 'delayP99Ms' },
    ],
  },
  {
    title: 'Time to the first byte',
    words: 'Milliseconds until the first byte of a stream: one after the other, and 16 at a time.',
    columns: [1, 16].flatMap((clients) =>
      [50, 99].map((part) => ({
        heading: `${clientsIn(clients)}, p${part}`,
        measure: `first-${clients}`,
        figure: `firstByteP${part}Ms`,
      })),
    ),
  },
  {
    title: 'Many streams',
    words:
      '5,000 at a time, each a chunk every 8 s for 24 s, so that 208 begin a second; milliseconds, and of processor time microseconds.',
    columns: [
      { heading: 'µs a chunk', measure: 'crowd', figure: 'cpuMicros', plus: DATABASE_MICROS },
      { heading: 'delay p50', measure: 'crowd', figure: 'delayP50Ms' },
      { heading: 'delay p99', measure: 'crowd', figure: 'delayP99Ms' },
      { heading: 'first byte p50', measure: 'crowd', figure: 'firstByteP50Ms' },
      { heading: 'first byte p99', measure: 'crowd', figure: 'firstByteP99Ms' },
    ],
  },
  {
    title: 'Many models',
    words: '`GET /models`, one after the other; microseconds of the router for each model that is listed.',
    columns: [
      { heading: 'lists a second', measure: 'models', figure: 'perSecond' },
      { heading: 'models in each', measure: 'models', figure: 'models' },
      { heading: 'µs a model', measure: 'models', figure: 'cpuMicros' },
    ],
  },
  {
    title: 'Connections',
    words:
      'Requests on a new connection each, 16 at a time. Over TLS, `verified` is the platform and the router.',
    columns: (['churn', 'churn-tls'] as const).flatMap((measure) => {
      const kind = measure === 'churn' ? 'without TLS' : 'over TLS'
      return [
        { heading: `${kind}, a second`, measure, figure: 'perSecond' },
        { heading: 'µs each', measure, figure: 'cpuMicros', plus: DATABASE_MICROS },
      ]
    }),
  },
  {
    title: 'Memory and starts',
    words:
      'Kilobytes of resident memory an open stream (a chunk a second each) over that of a process which has answered a while; and seconds from the start of its processes, their database up, to the end of the first answer.',
    columns: [
      { heading: '1,000 streams, kB each', measure: 'memory', figure: 'kb1000' },
      { heading: '5,000 streams, kB each', measure: 'memory', figure: 'kb5000' },
      { heading: 'of them the proxy', measure: 'memory', figure: 'kb5000.proxy' },
      { heading: 'cold start, s', measure: 'start', figure: 'seconds' },
    ],
  },
]

function clientsIn(count: number): string {
  return count === 1 ? '1 client' : `${count.toLocaleString('en-GB')} clients`
}
