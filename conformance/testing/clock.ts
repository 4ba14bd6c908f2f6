import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** By how much the clocks of a program jump: one of them, or both. */
export interface Jump {
  readonly milliseconds: number
  readonly clock?: 'wall' | 'monotonic'
}

// Loaded into a program before its own code (NODE_OPTIONS): at SIGUSR2 its clocks jump as the file says. Timers that
// run are left alone: a machine that slept looks just like that.
const file = process.env.TEST_CLOCK_FILE
if (file !== undefined) {
  const [wall, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)]
  let [wallAheadMs, monotonicAheadMs] = [0, 0]
  Date.now = () => wall() + wallAheadMs
  performance.now = () => monotonic() + monotonicAheadMs
  process.on('SIGUSR2', () => {
    const { milliseconds, clock } = JSON.parse(readFileSync(file, 'utf8')) as Jump
    if (clock !== 'monotonic') wallAheadMs += milliseconds
    if (clock !== 'wall') monotonicAheadMs += milliseconds
  })
}
