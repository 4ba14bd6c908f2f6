import type { Measure, Present } from './measures/measure.ts'
import type { Figures } from './measures/turn.ts'
import { showNumber } from './report/number.ts'

/** One turn in one line, as far as it can be told in a few words. */
export function describeTurn(
  { round, of }: { readonly round: number; readonly of: number },
  { title }: Pick<Measure, 'title'>,
  { name }: Pick<Present, 'name'>,
  outcome: Figures | Error,
): string {
  const place = `${round + 1}/${of}  ${title}  ${name}:`
  if (outcome instanceof Error) return `${place} ${outcome.message}`
  const told = shown.flatMap(([figure, unit]) => {
    const value = outcome[figure]
    return value === undefined ? [] : [`${showNumber(value)} ${unit}`]
  })
  return `${place} ${told.join(', ')}`
}

/** What is told of a turn, where it was found. */
const shown = [
  ['perSecond', 'a second'],
  ['cpuMicros', 'µs of processor each'],
  ['cpuMicros.database', 'µs of PostgreSQL'],
  ['firstByteP50Ms', 'ms to the first byte'],
  ['kb5000', 'kB a stream at 5,000'],
  ['seconds', 's'],
] as const
