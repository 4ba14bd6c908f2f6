const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n

/** More digits than any 64-bit integer has, however it is written; more zeros in front of them are not meant (ours). */
const MAX_DIGITS = 400

/** Whether JSON text is null or a whole number of 64 bits, told by its digits: no float comes between. */
export function isLong(text: string): boolean {
  if (text === 'null') return true
  if (text.length > MAX_DIGITS) return false
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (sign === undefined) return false
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '')
  if (digits === '0' || /^0+$/.test(digits)) return true
  const zeros = Number(exponent) - fraction.length
  if (Math.abs(zeros) > MAX_DIGITS) return false
  const kept = zeros >= 0 ? digits + '0'.repeat(zeros) : cut(digits, -zeros)
  if (kept === undefined) return false
  const value = BigInt(`${sign}${kept}`)
  return value >= MIN && value <= MAX
}

/** The digits without so many at their end, which have to be zeros. */
function cut(digits: string, count: number): string | undefined {
  if (count >= digits.length) return undefined
  return /^0*$/.test(digits.slice(-count)) ? digits.slice(0, -count) : undefined
}
