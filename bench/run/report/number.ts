import { noiseOf, spreadOf } from '../statistics/spread.ts'

/** What stands where nothing was found. */
export const NOTHING = '–'

/** A number for people: three digits that mean something, thousands with commas. */
export function showNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return Math.round(value).toLocaleString('en-GB')
  if (size >= 10) return value.toFixed(1)
  return value.toFixed(2)
}

/** A figure of several rounds: its median, and half of how far the rounds lie apart. */
export function showSpread(values: readonly number[] | undefined): string {
  if (values === undefined || values.length === 0) return NOTHING
  const spread = spreadOf(values)
  return values.length === 1
    ? showNumber(spread.median)
    : `${showNumber(spread.median)} ± ${showNumber(noiseOf(spread))}`
}
