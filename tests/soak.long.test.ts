import { defineSoak } from './soak.ts'

// A quarter of a million requests, and twenty thousand clients that leave: about a quarter of an hour.
defineSoak({ rounds: 500, waves: 40, limitMs: 60 * 60_000 })
