import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from './arguments.ts'
import type { LoadReport } from './overload/load.ts'
import { startWorld } from './overload/world.ts'

const { seconds, thinks, json } = await readArguments(
  'overload',
  'Asks a router for five times what it can do, and shows what becomes of it; exits with 1 when a promise is broken.',
  {
    seconds: ['how long the overload lasts', 60],
    thinks: ['milliseconds that the backend takes for an answer', 10],
  },
  { flags: { json: 'one document on stdout' } },
)
const forMs = seconds * 1_000

const TIMES = 5
/** Part of the capacity that the well-behaved workspace asks for. */
const MODEST = 0.15
const CAPACITY_SOCKETS = 48
const HOSTILE_SOCKETS = 2_000
const MODEST_SOCKETS = 256

/** What is promised. */
const MOST_P99 = 3
const MOST_REFUSAL_MS = 50
const MOST_HEALTH_MS = 100
const LEAST_KEPT = 0.8

const say = (line: string): void => console.error(line)
const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? 0
const perSecond = ({ acceptedMs, ms }: LoadReport): number => (acceptedMs.length / ms) * 1_000

const world = await startWorld(2, thinks)
const warmMs = Math.min(forMs, 5_000)
say('warming up')
const warmings = [
  await world.load([
    { perSecond: 0, sockets: CAPACITY_SOCKETS, forMs: warmMs },
    { perSecond: 0, sockets: 1, forMs: warmMs },
  ]),
]
say('what it can do')
const capacities = await world.load([{ perSecond: 0, sockets: CAPACITY_SOCKETS, forMs: warmMs }])
warmings.push(capacities)
const capacity = perSecond(capacities[0]!)
const modestRate = capacity * MODEST
const modestOrder = { perSecond: modestRate, sockets: MODEST_SOCKETS, forMs: Math.min(forMs, 20_000) }
await sleep(1_000)
say(`${capacity.toFixed(0)} requests a second; one workspace alone with ${modestRate.toFixed(0)}`)
const idle = { perSecond: 0, sockets: 0, forMs: 0 }
const [, alone] = await world.load([idle, modestOrder])
const memoryBefore = world.memoryBytes()
say(`another one asks for ${(TIMES * capacity).toFixed(0)} beside it, for ${seconds} s`)
const watched = world.watch()
const [hostile, beside] = await world.load([
  { perSecond: TIMES * capacity, sockets: HOSTILE_SOCKETS, forMs },
  { ...modestOrder, forMs },
])
const { healthMs, metricsMs, largestBytes, most } = await watched()
const reports = [...warmings.flat(), alone!, hostile!, beside!]
const answered = reports.reduce((sum, { acceptedMs }) => sum + acceptedMs.length, 0)
const sumOf = (pick: (report: LoadReport) => number) => reports.reduce((sum, report) => sum + pick(report), 0)
const failures = {
  answered_otherwise: sumOf((report) => report.otherwise),
  cut_off: sumOf((report) => report.cutOff),
  unanswered: sumOf((report) => report.unanswered),
}
const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
const books = await world.books()
await world.stop()

const accepted = [...hostile!.acceptedMs, ...beside!.acceptedMs].sort((a, b) => a - b)
const refused = [...hostile!.refusedMs, ...beside!.refusedMs].sort((a, b) => a - b)
const offered = accepted.length + refused.length + failed + hostile!.unsent
const figures = {
  load: loadavg()[0]!,
  capacity_per_second: capacity,
  offered_to_capacity: ((offered / hostile!.ms) * 1_000) / capacity,
  sent_to_capacity: (((accepted.length + refused.length) / hostile!.ms) * 1_000) / capacity,
  accepted_to_capacity: (perSecond(hostile!) + perSecond(beside!)) / capacity,
  unloaded_p99_ms: at(alone!.acceptedMs, 0.99),
  accepted_p50_to_unloaded: at(accepted, 0.5) / at(alone!.acceptedMs, 0.5),
  accepted_p99_to_unloaded: at(accepted, 0.99) / at(alone!.acceptedMs, 0.99),
  modest_p99_to_unloaded: at(beside!.acceptedMs, 0.99) / at(alone!.acceptedMs, 0.99),
  modest_kept: perSecond(beside!) / perSecond(alone!),
  modest_refused_part: beside!.refusedMs.length / (beside!.refusedMs.length + beside!.acceptedMs.length),
  refused_part: refused.length / (refused.length + accepted.length),
  refusal_p50_ms: at(refused, 0.5),
  refusal_p99_ms: at(refused, 0.99),
  refusal_max_ms: at(refused, 1),
  health_p99_ms: at(healthMs, 0.99),
  health_max_ms: at(healthMs, 1),
  metrics_p99_ms: at(metricsMs, 0.99),
  memory_before_mib: memoryBefore / 1_048_576,
  memory_most_mib: largestBytes / 1_048_576,
  ...Object.fromEntries(Object.entries(most).map(([name, count]) => [`most_${name}`, count])),
  ...failures,
  unbooked: answered - books.generations,
  open_holds: books.openHolds,
  wrong_sums: books.wrong,
}
const promises: readonly (readonly [string, boolean])[] = [
  [
    'what was accepted was answered, and is in the books',
    failed === 0 && figures.unbooked === 0 && books.openHolds === 0 && books.wrong === 0,
  ],
  [
    `p99 of what was accepted is at most ${MOST_P99} times the unloaded`,
    figures.accepted_p99_to_unloaded <= MOST_P99,
  ],
  [`refusals come within ${MOST_REFUSAL_MS} ms (p99)`, figures.refusal_p99_ms <= MOST_REFUSAL_MS],
  [
    `health and metrics come within ${MOST_HEALTH_MS} ms (p99)`,
    Math.max(figures.health_p99_ms, figures.metrics_p99_ms) <= MOST_HEALTH_MS,
  ],
  [
    `a well-behaved workspace keeps ${LEAST_KEPT * 100} % of its throughput`,
    figures.modest_kept >= LEAST_KEPT,
  ],
]
if (json) console.log(JSON.stringify({ figures, promises: Object.fromEntries(promises) }, undefined, 2))
else {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(26)} ${value.toFixed(value < 10 ? 2 : 0)}`)
  for (const [promise, isKept] of promises) console.log(`${isKept ? 'kept  ' : 'BROKEN'} ${promise}`)
}
process.exitCode = promises.every(([, isKept]) => isKept) ? 0 : 1
