import type { Random } from '../../conformance/engine/random.ts'
import type { Manner } from '../backend/manner.ts'
import { pickWeighted, type Weighted } from '../random/weighted.ts'
import type { Habit, Visit } from './sighting.ts'

/** Most requests end well where nothing is broken: those are what a fault can spoil. */
const manners: Weighted<Manner> = [
  [40, 'plain'],
  [12, 'long'],
  [3, 'rapid'],
  [3, 'cut'],
  [1, 'stall'],
  [1, 'silent'],
  [3, 'garbage'],
  [3, 'busy'],
  [3, 'no-usage'],
  [3, 'boasting'],
]

const habits: Weighted<Habit> = [
  [40, 'reads'],
  [3, 'slow'],
  [1, 'stalls'],
  [5, 'leaves'],
]

const forms: Weighted<Visit['form']> = [
  [40, 'sound'],
  [2, 'nonsense'],
  [2, 'stranger'],
]

const ONE_IN_WHOLE = 3
const ONE_IN_MODEST = 6

/** The next request of a client. */
export function pickVisit(random: Random): Visit {
  return {
    form: pickWeighted(random, forms),
    manner: pickWeighted(random, manners),
    habit: pickWeighted(random, habits),
    streamed: random.below(ONE_IN_WHOLE) !== 0,
    payer: random.below(ONE_IN_MODEST) === 0 ? 'modest' : 'rich',
  }
}
