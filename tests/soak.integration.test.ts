import { defineSoak } from './soak.ts'

// A few thousand requests; `soak.long.test.ts` does a hundred times as many.
defineSoak({ rounds: 4, waves: 3, limitMs: 600_000 })
