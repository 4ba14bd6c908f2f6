import { definePatience } from './patience.ts'

// In real time, with the contract's own timers: about 20 minutes.
definePatience(1, 25 * 60_000)
