import { grouped } from '../../words/money.ts'

const MILLION = 1_000_000n

/** Millionths of a micro-dollar as micro-dollars, with every decimal that there is: `22.2`. */
export function exactMicros(millionths: bigint): string {
  const decimals = String(millionths % MILLION)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const whole = grouped(millionths / MILLION)
  return decimals === '' ? whole : `${whole}.${decimals}`
}
