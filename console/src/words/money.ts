const MICROS_PER_DOLLAR = 1_000_000n
const DECIMALS = 6

/** An amount in parts, so that a page can give the cents more weight than what follows them. */
export interface MoneyParts {
  /** `-` or nothing. */
  readonly sign: '' | '−'
  /** With the dollar sign and grouped thousands: `$1,234`. */
  readonly dollars: string
  /** Two digits behind the point. */
  readonly cents: string
  /** The four digits that follow: ten-thousandths of a cent. */
  readonly rest: string
}

/** Takes an amount in whole micro-dollars apart; integers all the way. Throws a `RangeError` for anything else. */
export function moneyParts(micros: number | bigint): MoneyParts {
  const amount = toMicros(micros)
  const size = amount < 0n ? -amount : amount
  const decimals = String(size % MICROS_PER_DOLLAR).padStart(DECIMALS, '0')
  return {
    sign: amount < 0n ? '−' : '',
    dollars: `$${grouped(size / MICROS_PER_DOLLAR)}`,
    cents: decimals.slice(0, 2),
    rest: decimals.slice(2),
  }
}

/** An amount in dollars, exact to the micro-dollar: `$4.999977`. */
export function inDollars(micros: number | bigint): string {
  const { sign, dollars, cents, rest } = moneyParts(micros)
  return `${sign}${dollars}.${cents}${rest}`
}

/** The same without the zeros that nobody needs, but never less than cents: `$2.50`. */
export function inShortDollars(micros: number | bigint): string {
  const { sign, dollars, cents, rest } = moneyParts(micros)
  return `${sign}${dollars}.${cents}${rest.replace(/0+$/, '')}`
}

/** An integer with grouped thousands: `1,234,567`. */
export function grouped(count: number | bigint): string {
  return String(toMicros(count)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * Reads what a person typed as dollars (`2.5`, `$1,000.25`) into micro-dollars, digit by digit. Undefined for what is no
 * amount, is negative, or is finer than a micro-dollar.
 */
export function parseDollars(text: string): number | undefined {
  const match = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?$/.exec(text.trim())
  const [, dollars = '', decimals = ''] = match ?? []
  if (match === null || dollars + decimals === '' || decimals.length > DECIMALS) return undefined
  const micros = Number(BigInt(dollars.replaceAll(',', '') || '0') * MICROS_PER_DOLLAR + micro(decimals))
  return Number.isSafeInteger(micros) ? micros : undefined
}

function micro(decimals: string): bigint {
  return BigInt(decimals.padEnd(DECIMALS, '0'))
}

function toMicros(micros: number | bigint): bigint {
  if (typeof micros === 'number' && !Number.isSafeInteger(micros)) {
    throw new RangeError('An amount is a whole number of micro-dollars.')
  }
  return BigInt(micros)
}
