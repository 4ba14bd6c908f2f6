import { definePatience } from './patience.ts'

// A hundred times faster than what `patience.long.test.ts` does in real time.
definePatience(100, 180_000)
