import { definePatience } from './patience.ts'

// In real time, with the contract's own timers: about 20 minutes. PATIENCE_SCALE=20 tries it out in one.
definePatience(Number(process.env.PATIENCE_SCALE ?? 1), 25 * 60_000)
