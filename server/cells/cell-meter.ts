import type { Caller } from '../admission/caller.ts'
import { refusalOf } from '../admission/refusals.ts'
import { ApiError } from '../errors.ts'
import type { Meter } from '../meter.ts'
import { askCell } from './ask-cell.ts'
import { away, unlessAway } from './away.ts'
import type { Locator } from './locator.ts'
import type { CellPart } from './part.ts'

/** What a meter over cells needs from the world. */
export interface CellMeterOptions {
  readonly home: CellPart
  readonly others: readonly CellPart[]
  readonly locator: Locator
}

/**
 * One meter for each cell behind one face: whatever belongs to a workspace is asked of its cell alone, so that a cell
 * which is away keeps nobody else waiting (OPS-25).
 */
export function createCellMeter({ home, others, locator }: CellMeterOptions): Meter {
  const parts = [home, ...others]
  const byName = new Map(parts.map((part) => [part.name, part]))
  const meters = parts.map(({ meter }) => meter)
  const sum = (count: (meter: Meter) => number) => meters.reduce((total, meter) => total + count(meter), 0)

  /** Asks the meter of the caller's cell; throws 401 for a key that is in none, and 503 where it is away. */
  async function ask<Result extends object>(
    { keyHash, identify }: Pick<Caller, 'keyHash' | 'identify'>,
    question: (meter: Meter, asked: number) => Promise<Result>,
  ): Promise<Result> {
    let refusal: unknown
    const answer = await askCell(
      { locator, home: home.meter },
      keyHash,
      async (place, asked) => {
        const meter = byName.get(place.cell)?.meter
        if (!meter) return undefined
        if (!meter.isLeased) {
          identify(place)
          throw away()
        }
        try {
          return await unlessAway(() => question(meter, asked))
        } catch (error) {
          if (!(error instanceof ApiError && error.code === 'invalid_api_key')) throw error
          refusal = error
          return undefined
        }
      },
      identify,
    )
    if (answer === undefined) throw refusal ?? refusalOf('invalid_api_key')
    return answer
  }

  return {
    replica: home.meter.replica,
    async start() {
      await home.begin()
      await Promise.all(others.map((part) => part.beginLater()))
    },
    reserve: (caller, isFree) => ask(caller, (meter) => meter.reserve(caller, isFree)),
    accept: (applicant, reserved) =>
      // A cell that refuses has given back what was taken from the buckets.
      ask(applicant.caller, (meter, asked) => meter.accept(applicant, asked === 0 ? reserved : undefined)),
    ownerOf(keyHash) {
      const place = locator.known(keyHash)
      const rates = place && byName.get(place.cell)?.meter.ownerOf(keyHash)
      return rates && { ...rates, cell: place.cell }
    },
    forget(keyHash) {
      for (const meter of meters) meter.forget(keyHash)
    },
    isRunning: (generationId) => meters.some((meter) => meter.isRunning(generationId)),
    get runningCount() {
      return sum((meter) => meter.runningCount)
    },
    get waitingCount() {
      return sum((meter) => meter.waitingCount)
    },
    get isLeased() {
      return home.meter.isLeased
    },
    get reaped() {
      return { lapsed: sum(({ reaped }) => reaped.lapsed), unsent: sum(({ reaped }) => reaped.unsent) }
    },
    async drain() {
      await Promise.all(meters.map((meter) => meter.drain()))
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()))
    },
  }
}
