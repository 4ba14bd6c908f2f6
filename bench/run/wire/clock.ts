const NANOS_PER_MICRO = 1_000n

/** Microseconds of the machine's steady clock, which all processes share; Node's own count from each one's start. */
export function nowMicros(): number {
  return Number(process.hrtime.bigint() / NANOS_PER_MICRO)
}
