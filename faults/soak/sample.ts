import { type Occupied, occupiedBy } from '../audit/occupied.ts'
import type { Seat } from '../world/seat.ts'
import type { Chart, Series } from './plot.ts'

/** What every part occupied at one moment. */
export interface Sample {
  readonly seconds: number
  readonly occupied: ReadonlyMap<string, Occupied>
}

/** Looks at all parts that run. */
export function takeSample(seats: readonly Seat[], seconds: number): Sample {
  const running = seats.flatMap(({ name, pid }) =>
    pid === undefined ? [] : [[name, occupiedBy(pid)] as const],
  )
  return { seconds, occupied: new Map(running) }
}

const MEBIBYTE = 1_048_576

/** The charts of a run. */
export function chartsOf(samples: readonly Sample[]): Chart[] {
  const names = [...new Set(samples.flatMap(({ occupied }) => [...occupied.keys()]))]
  const seriesOf = (read: (one: Occupied) => number): Series[] =>
    names.map((name) => ({
      name,
      points: samples.flatMap(({ seconds, occupied }) => {
        const one = occupied.get(name)
        return one ? [{ seconds, value: read(one) }] : []
      }),
    }))
  return [
    { title: 'Resident memory', unit: 'MiB', series: seriesOf(({ rssBytes }) => rssBytes / MEBIBYTE) },
    { title: 'Open files and sockets', unit: '', series: seriesOf(({ handles }) => handles) },
  ]
}
