const MICROS_PER_DOLLAR = 1_000_000
const DECIMALS = 6

/** Micro-dollars as dollars, to the last of them: `$4.999977`, `-$0.000023`. */
export function dollars(micros: number): string {
  const whole = Math.abs(micros)
  const fraction = String(whole % MICROS_PER_DOLLAR).padStart(DECIMALS, '0')
  return `${micros < 0 ? '-' : ''}$${grouped(Math.floor(whole / MICROS_PER_DOLLAR))}.${fraction}`
}

/** Micro-dollars by that name: `23 micro-dollars`. */
export function micros(amount: number): string {
  return `${grouped(amount)} micro-dollar${Math.abs(amount) === 1 ? '' : 's'}`
}

/** A price for people: `$0.15 per million`. */
export function price(microsPerMillion: number): string {
  return `${dollars(microsPerMillion).replace(/0{1,4}$/, '')} per million`
}

/** A whole number in groups of three. */
export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',')
}
