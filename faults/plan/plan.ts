import { createRandom, type Random } from '../../conformance/engine/random.ts'
import { pickWeighted, type Weighted } from '../random/weighted.ts'
import type { Fault, FaultKind } from './fault.ts'

/** What a run can break on this machine. */
export interface Breakable {
  readonly routers: number
  readonly hasRedis: boolean
  /** Whether the database lies on a file system of its own, that can be filled. */
  readonly hasOwnDisk: boolean
}

/** Faults of one episode. */
const [FEWEST, MOST] = [4, 7]

/** Between two faults, so that some meet and others do not. */
const MOST_APART_MS = 4_000

/** How long most faults last, and how long some do: beyond every patience and lease of the contract. */
const SHORT_MS = 3_500
const LONG_MS = 24_000
const ONE_IN_LONG = 7

const MOST_BESIDES = 2

/** How often each kind comes: kills and pauses are what machines do. */
const weights: Weighted<FaultKind> = [
  [9, 'kill'],
  [7, 'pause'],
  [2, 'cut-database'],
  [2, 'stall-commits'],
  [2, 'disk-full'],
  [2, 'clock'],
  [3, 'rotate'],
  [2, 'withdraw'],
]

const rotations = ['leaf', 'signer', 'chain'] as const
const steps = [-3_600_000, -5_000, 5_000, 3_600_000] as const

/** The faults of an episode; they depend on the seed, its number and what can be broken alone. */
export function planEpisode(seed: number, episode: number, breakable: Breakable): Fault[] {
  const random = createRandom(seed, `faults/${episode}`)
  const count = FEWEST + random.below(MOST - FEWEST + 1)
  return Array.from({ length: count }, () => planFault(random, breakable))
}

/** One failover of the database; besides, some of the parts that do not matter to it are killed. */
export function planFailover(seed: number, episode: number, { routers }: Breakable): Fault[] {
  const random = createRandom(seed, `failovers/${episode}`)
  const afterMs = MOST_APART_MS + random.below(MOST_APART_MS)
  const failover: Fault = { kind: 'fail-over', subject: 'database', afterMs, lastsMs: SHORT_MS }
  const subjects = [`router-${random.below(routers)}`, 'backend', 'proxy'] as const
  const besides = Array.from({ length: random.below(MOST_BESIDES + 1) }, () => ({
    kind: 'kill' as const,
    subject: random.pick(subjects),
    afterMs: random.below(SHORT_MS),
    lastsMs: 100 + random.below(SHORT_MS),
  }))
  return [failover, ...besides]
}

function planFault(random: Random, breakable: Breakable): Fault {
  const possible = weights.filter(([, kind]) => kind !== 'disk-full' || breakable.hasOwnDisk)
  const kind = pickWeighted(random, possible)
  const subject = pickSubject(random, kind, breakable)
  const afterMs = random.below(MOST_APART_MS)
  const lastsMs = 100 + random.below(random.below(ONE_IN_LONG) === 0 ? LONG_MS : SHORT_MS)
  return { kind, subject, afterMs, lastsMs, ...(kind === 'clock' && { stepMs: random.pick(steps) }) }
}

function pickSubject(random: Random, kind: FaultKind, { routers, hasRedis }: Breakable): string {
  const router = `router-${random.below(routers)}`
  if (kind === 'rotate') return random.pick(rotations)
  if (kind === 'withdraw') return 'deployment'
  if (kind === 'clock') return random.pick([router, 'proxy'])
  if (kind !== 'kill' && kind !== 'pause') return 'database'
  const others = ['database', 'platform', 'backend', 'proxy'] as const
  return random.pick([router, router, ...others, ...(hasRedis ? ['redis'] : [])])
}
