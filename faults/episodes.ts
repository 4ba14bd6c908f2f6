import { setTimeout as sleep } from 'node:timers/promises'
import { type Audit, audit } from './audit/audit.ts'
import { createWatch } from './audit/occupied.ts'
import type { Violation } from './audit/violation.ts'
import { startLoad } from './load/load.ts'
import type { Sighting } from './load/sighting.ts'
import type { Options } from './options.ts'
import { breakAndMend } from './plan/break-and-mend.ts'
import type { Happened } from './plan/fault.ts'
import { planEpisode, planFailover } from './plan/plan.ts'
import type { World } from './world/world.ts'

/** Where a violation was found. */
export interface Found extends Violation {
  readonly episode: number
}

/** What a run saw, all of it. */
export interface Outcome {
  readonly episodes: number
  readonly sightings: readonly Sighting[]
  readonly happened: readonly Happened[]
  readonly found: readonly Found[]
  /** Of the last audit, which is of the whole run; none before the first. */
  readonly audit: Audit | undefined
  readonly occupied: ReturnType<typeof createWatch>['now']
}

/** Load before the first fault, and after the last is mended. */
const BEFORE_MS = 1_500
const AFTER_MS = 1_500

/** Breaks, mends and audits, episode after episode, until time or number is up, or something is found. */
export async function runEpisodes(
  world: World,
  options: Options,
  say: (line: string) => void,
  isOver: () => boolean,
): Promise<Outcome> {
  const { seed, clients, minutes, episodes = Number.POSITIVE_INFINITY, episode: only } = options
  const latest = performance.now() + minutes * 60_000
  const sightings: Sighting[] = []
  const happened: Happened[] = []
  const watch = createWatch()
  const breakable = {
    routers: world.routers.length,
    hasRedis: world.redis !== undefined,
    hasOwnDisk: world.folder.hasOwnDisk,
  }
  let done = 0
  let found: Found[] = []
  let last: Audit | undefined
  await warmUp(world, options, sightings)
  while (done < episodes && performance.now() < latest && found.length === 0 && !isOver()) {
    done += 1
    const episode = only ?? done
    const faults = (options.failover ? planFailover : planEpisode)(seed, episode, breakable)
    say(`  episode ${episode}: ${faults.length} faults`)
    const load = startLoad({ world, seed, episode, clients })
    await sleep(BEFORE_MS)
    happened.push(...(await breakAndMend(world, faults, say)))
    await world.mend()
    await sleep(AFTER_MS)
    const these = await load.stop()
    sightings.push(...these)
    last = await audit(world, { sightings, happened, watch })
    found = last.violations.map((violation) => ({ ...violation, episode }))
    const whole = these.filter(({ ending }) => ending === 'whole').length
    say(`    ${these.length} requests, ${whole} whole; ${found.length} violations`)
    if (only !== undefined) break
  }
  return { episodes: done, sightings, happened, found, audit: last, occupied: watch.now }
}

const WARM_UP_MS = 3_000

/** Brings heaps and pools to their size, so that what they occupy afterwards can be compared. */
async function warmUp(world: World, { seed, clients }: Options, sightings: Sighting[]): Promise<void> {
  const load = startLoad({ world, seed, episode: 0, clients })
  await sleep(WARM_UP_MS)
  sightings.push(...(await load.stop()))
}
