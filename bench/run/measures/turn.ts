import { setTimeout as sleep } from 'node:timers/promises'
import { countInstructions } from '../cpu/instructions.ts'
import { cpuNanosOf } from '../cpu/usage.ts'
import { type Counted, type Load, sharesOf } from '../load/crew.ts'
import type { Order } from '../load/order.ts'
import { DATABASE, type Role, type Running } from '../subjects/subject.ts'

/** Figures of one turn by their names; see `figuresOf`. */
export type Figures = Readonly<Record<string, number>>

/** What all turns share. */
export interface Tools {
  readonly load: Load
  /** The processes of load and model, whose time tells whether they held anybody up. */
  readonly ownPids: readonly number[]
  readonly warmMs: number
  readonly turnMs: number
  readonly canCountInstructions: boolean
}

/** What a turn counts its costs by. */
export type Unit = 'requests' | 'chunks'

/** What a subject is told of its turn. */
export type TurnOrder = Omit<Order, 'target'> & { readonly isTls?: boolean }

/** What a subject's processes and its database took between two moments. */
interface Costs {
  readonly seconds: number
  readonly nanos: ReadonlyMap<string, number>
  /** Not a number where they were not counted. */
  readonly instructions: ReadonlyMap<string, number>
  readonly ownNanos: number
  readonly statements: number | undefined
}

/** How long what is left of a turn may still be under way. */
const REST_MS = 150

const FIRST_ANSWER_MS = 30_000
const MOST_TURNS = 10

/** Loads a subject, lets it get warm, and counts for a while. */
export async function takeTurn(
  tools: Tools,
  running: Running,
  order: TurnOrder,
  unit: Unit,
): Promise<Figures> {
  const { load, warmMs, turnMs } = tools
  const target = order.isTls ? running.tlsTarget : running.target
  if (target === undefined) throw new Error('This one ends no TLS.')
  const targets = order.isTls ? [target] : [target, ...(running.others ?? [])]
  const shares = sharesOf(order.clients, targets.length)
  for (const [at, each] of targets.entries()) load.start({ ...order, target: each, clients: shares[at]! })
  try {
    await sleep(warmMs + order.withinMs)
    await firstAnswer(load, unit)
    load.count()
    const settle = await countCosts(tools, running)
    await sleep(turnMs)
    let counted = await load.report()
    // Whoever takes longer than a turn for one answer is counted over several.
    for (let more = 1; counted[unit] === 0 && more < MOST_TURNS; more++) {
      await sleep(turnMs)
      counted = await load.report()
    }
    return figuresOf(counted, await settle(), running.roles, unit)
  } finally {
    load.stop()
    await sleep(REST_MS)
  }
}

/** Some load much of themselves when they are first asked. Throws where nothing comes at all. */
async function firstAnswer(load: Load, unit: Unit): Promise<void> {
  const untilMs = performance.now() + FIRST_ANSWER_MS
  for (;;) {
    const counted = await load.report()
    if (counted[unit] > 0) return
    if (performance.now() > untilMs)
      throw new Error(
        `no answer within ${FIRST_ANSWER_MS / 1_000} s${counted.complaint ? `: ${counted.complaint}` : ''}`,
      )
    await sleep(REST_MS)
  }
}

/** Begins to count what a subject takes; the result ends it. */
async function countCosts(
  { ownPids, canCountInstructions }: Tools,
  { roles, statements }: Running,
): Promise<() => Promise<Costs>> {
  const statementsBefore = await statements?.()
  const perfs = canCountInstructions ? roles.map(({ pid }) => countInstructions([pid])) : []
  const since = performance.now()
  const before = roles.map(({ pid }) => cpuNanosOf(pid))
  const ownBefore = sumOf(ownPids)
  return async () => {
    const seconds = (performance.now() - since) / 1_000
    const nanos = roles.map(({ name, pid }, at) => [name, cpuNanosOf(pid) - before[at]!] as const)
    const ownNanos = sumOf(ownPids) - ownBefore
    const instructions = await Promise.all(perfs.map((stop) => stop()))
    const statementsAfter = await statements?.()
    return {
      seconds,
      nanos: sumByName(nanos),
      instructions: sumByName(roles.map(({ name }, at) => [name, instructions[at] ?? Number.NaN])),
      ownNanos,
      statements: statementsBefore === undefined ? undefined : statementsAfter! - statementsBefore,
    }
  }
}

/** Several processes may have one role. */
function sumByName(values: readonly (readonly [name: string, value: number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [name, value] of values) sums.set(name, (sums.get(name) ?? 0) + value)
  return sums
}

function sumOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuNanosOf(pid), 0)
}

/**
 * Names of figures: `perSecond`; `cpuMicros` of all processes but the database's, and `cpuMicros.ROLE` of each, a unit;
 * `busy` and `ownBusy`, cores that the subject and that load and model took; `p50Ms`, `p99Ms` of whole answers,
 * `firstByteP50Ms`, `delayP50Ms` and so on; `failed`; `statements` and `instructions.ROLE` a unit. What was not
 * counted is left out.
 */
function figuresOf(counted: Counted, costs: Costs, roles: readonly Role[], unit: Unit): Figures {
  const units = counted[unit]
  const figures: Record<string, number> = { perSecond: units / counted.seconds }
  figures.failed = counted.failed + counted.lost
  if (counted.complaint !== undefined && counted.failed + counted.lost > units / 100)
    throw new Error(`${counted.failed + counted.lost} requests failed: ${counted.complaint}`)
  const note = (name: string, value: number | undefined): void => {
    if (value !== undefined) figures[name] = value
  }
  for (const [name, histogram] of [
    ['p', counted.latency],
    ['firstByteP', counted.firstByte],
    ['delayP', counted.chunkDelay],
  ] as const) {
    note(`${name}50Ms`, histogram.percentileMs(0.5))
    note(`${name}99Ms`, histogram.percentileMs(0.99))
  }
  const nanosPerCore = costs.seconds * 1e9
  figures.ownBusy = costs.ownNanos / nanosPerCore
  if (roles.length === 0 || units === 0) return figures
  let all = 0
  let own = 0
  for (const [name, nanos] of costs.nanos) {
    figures[`cpuMicros.${name}`] = nanos / 1_000 / units
    all += nanos
    if (name !== DATABASE) own += nanos
    const instructions = costs.instructions.get(name)!
    if (!Number.isNaN(instructions)) figures[`instructions.${name}`] = instructions / units
  }
  figures.cpuMicros = own / 1_000 / units
  figures.busy = all / nanosPerCore
  if (costs.statements !== undefined) figures.statements = costs.statements / units
  return figures
}
