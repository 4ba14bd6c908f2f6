import { limits } from '#contract/limits'
import { UsageError } from './usage.ts'

const MICROS_PER_DOLLAR = BigInt(limits.microsPerDollar)
const DECIMALS = 6

/** Most that one command moves, in micro-dollars: beyond it a JSON integer would lose digits (ours). */
const MAX_MICROS = 9_007_199_254_740_991n

/** `5`, `0.000001`, `-12.50` as micro-dollars; no float is involved. Throws `UsageError`. */
export function parseDollars(option: string, text: string): bigint {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) throw new UsageError(`${option} must be dollars with up to six decimals, not "${text}".`)
  const [, sign, whole, fraction = ''] = match
  const micros = BigInt(whole!) * MICROS_PER_DOLLAR + BigInt(fraction.padEnd(DECIMALS, '0'))
  if (micros > MAX_MICROS) throw new UsageError(`${option} is too large.`)
  return sign === '-' ? -micros : micros
}

/** Micro-dollars for people: `$4.999977`, with two decimals at least. */
export function formatDollars(micros: bigint): string {
  const size = micros < 0n ? -micros : micros
  const whole = size / MICROS_PER_DOLLAR
  const fraction = (size % MICROS_PER_DOLLAR)
    .toString()
    .padStart(DECIMALS, '0')
    .replace(/0{1,4}$/, '')
  return `${micros < 0n ? '-' : ''}$${whole.toLocaleString('en-US')}.${fraction}`
}
