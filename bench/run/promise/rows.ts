import { figuresIn, type Results } from '../results.ts'
import { differences, ratios } from '../statistics/spread.ts'

/** One line of the promise. */
export interface Row {
  readonly name: string
  /** Behind each figure. */
  readonly unit: ' ×' | ' ms' | ' kB' | ' s'
  /** Whether less is better. */
  readonly isAtMost: boolean
  /** What `--check` holds a run to. */
  readonly gate: number
  /** What is aimed at: a figure, or what the same run found of another. */
  readonly stretch: number | Another
  /** What a run found, round by round; undefined where it did not look. */
  of(results: Results): readonly number[] | undefined
}

/** What the aim of a line is where it is no figure of its own. */
export interface Another {
  readonly name: string
  readonly of: Row['of']
}

/** Where a figure stands: the measure, the subject, the figure. */
type Address = readonly [measure: string, subject: string, figure: string]

/** A promise that a figure is at most so much. */
const atMost = (name: string, unit: Row['unit'], [gate, stretch]: Bounds, of: Row['of']): Row => ({
  name,
  unit,
  isAtMost: true,
  gate,
  stretch,
  of,
})

/** A promise that a ratio is at least so much. */
const atLeast = (name: string, [gate, stretch]: Bounds, of: Row['of']): Row => ({
  name,
  unit: ' ×',
  isAtMost: false,
  gate,
  stretch,
  of,
})

type Bounds = readonly [gate: Row['gate'], stretch: Row['stretch']]

/** Everything that is promised of speed, and can be read off one run. */
export const rows: readonly Row[] = [
  atMost(
    "router's own processor time a request, 64 clients, against the bare forwarder",
    ' ×',
    [2.5, 1.8],
    ratio(['requests-64', 'router', 'cpuMicros'], ['requests-64', 'forwarder', 'cpuMicros']),
  ),
  atMost(
    "PostgreSQL's processor time a generation, 64 clients, against the router's own",
    ' ×',
    [0.35, 0.2],
    ratio(['requests-64', 'router', 'cpuMicros.database'], ['requests-64', 'router', 'cpuMicros']),
  ),
  atLeast(
    "router's requests a second, 64 clients, against the bare forwarder",
    [0.3, 0.5],
    rateAgainst('forwarder'),
  ),
  atLeast('against Portkey', [3, 5], rateAgainst('portkey')),
  atLeast('against LiteLLM', [75, 120], rateAgainst('litellm')),
  atMost(
    "router's own processor time a chunk, 100 paced streams, against the bare forwarder",
    ' ×',
    [1.15, 1.05],
    ratio(['chunks-paced', 'router', 'cpuMicros'], ['chunks-paced', 'forwarder', 'cpuMicros']),
  ),
  atMost(
    "router's first byte over direct, p50, 1 client",
    ' ms',
    [0.6, 0.35],
    later('first-1', 'firstByteP50Ms'),
  ),
  atMost('the same, p99', ' ms', [2.5, 1], later('first-1', 'firstByteP99Ms')),
  atMost(
    "router's first byte over direct, p50, 16 streams",
    ' ms',
    [0.8, 0.4],
    later('first-16', 'firstByteP50Ms'),
  ),
  atMost('the same, p99', ' ms', [4, 2], later('first-16', 'firstByteP99Ms')),
  atMost(
    "router's chunk delay over the bare forwarder's, p99, 100 paced streams",
    ' ms',
    [1.5, 0.5],
    difference(['chunks-paced', 'router', 'delayP99Ms'], ['chunks-paced', 'forwarder', 'delayP99Ms']),
  ),
  atMost(
    "verified path's first byte over the router's, p50, 1 client",
    ' ms',
    [0.7, 0.3],
    difference(['first-1', 'verified', 'firstByteP50Ms'], ['first-1', 'router', 'firstByteP50Ms']),
  ),
  atMost(
    "proxy's processor time a request, 64 clients, against the bare forwarder",
    ' ×',
    [2.5, 1.6],
    ratio(['requests-64', 'verified', 'cpuMicros.proxy'], ['requests-64', 'forwarder', 'cpuMicros']),
  ),
  atMost(
    "verified path's chunk delay against the router's, p99, 5,000 streams",
    ' ×',
    [10, 4],
    ratio(['crowd', 'verified', 'delayP99Ms'], ['crowd', 'router', 'delayP99Ms']),
  ),
  atMost(
    'its first byte, p50',
    ' ×',
    [10, 4],
    ratio(['crowd', 'verified', 'firstByteP50Ms'], ['crowd', 'router', 'firstByteP50Ms']),
  ),
  atMost(
    'memory of a stream at the router, 5,000 open',
    ' kB',
    [42, { name: "the bare forwarder's", of: plain('memory', 'forwarder', 'kb5000') }],
    plain('memory', 'router', 'kb5000'),
  ),
  atMost(
    'memory of a stream at the proxy, 5,000 open',
    ' kB',
    [96, 72],
    plain('memory', 'verified', 'kb5000.proxy'),
  ),
  atMost(
    "router's own processor time a request with a million rows, against none",
    ' ×',
    [1.1, 1.05],
    ratio(['requests-64', 'router-grown', 'cpuMicros'], ['requests-64', 'router', 'cpuMicros']),
  ),
  atMost(
    "PostgreSQL's, with a million rows against none",
    ' ×',
    [1.1, 1.05],
    ratio(
      ['requests-64', 'router-grown', 'cpuMicros.database'],
      ['requests-64', 'router', 'cpuMicros.database'],
    ),
  ),
  atMost(
    "router's own processor time a chunk of streams of 1,000, unpaced, against those of 100",
    ' ×',
    [1.1, 1.05],
    ratio(['chunks-long', 'router', 'cpuMicros'], ['chunks-unpaced', 'router', 'cpuMicros']),
  ),
  atMost(
    "router's own processor time a request with 1,000 models, against one",
    ' ×',
    [1.1, 1.05],
    ratio(['requests-64', 'models-1000', 'cpuMicros'], ['requests-64', 'router', 'cpuMicros']),
  ),
  atMost(
    'its own for each model that GET /models lists, 1,000 against 100',
    ' ×',
    [1.1, 1.05],
    ratio(['models', 'models-1000', 'cpuMicros'], ['models', 'models-100', 'cpuMicros']),
  ),
  atMost('cold start of the router, database up', ' s', [0.5, 0.3], plain('start', 'router', 'seconds')),
]

function plain(...address: Address): Row['of'] {
  return (results) => figuresIn(results, ...address)
}

function rateAgainst(peer: string): Row['of'] {
  return ratio(['requests-64', 'router', 'perSecond'], ['requests-64', peer, 'perSecond'])
}

function later(measure: string, figure: string): Row['of'] {
  return difference([measure, 'router', figure], [measure, 'direct', figure])
}

/** One figure over another; undefined where either is missing. */
export function ratio(above: Address, below: Address): Row['of'] {
  return compared(above, below, ratios)
}

/** How much more one figure is than another. */
export function difference(one: Address, other: Address): Row['of'] {
  return compared(one, other, differences)
}

function compared(one: Address, other: Address, compare: typeof ratios): Row['of'] {
  return (results) => {
    const left = figuresIn(results, ...one)
    const right = figuresIn(results, ...other)
    return left && right && compare(left, right)
  }
}
