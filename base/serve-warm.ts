import { setFlagsFromString } from 'node:v8'

/**
 * Tells V8 that this process serves, now and again after a rest. Where nothing has come for some seconds V8 collects to occupy
 * less, and throws compiled code away with the last object of each kind that it was made for: requests after that cost up to three
 * times as much, for seconds. So it collects then as ever, and kinds of which there is no object stay. And it makes no object
 * among the old ones at once, as it does by itself with kinds of which many stayed: such an object keeps alive what it points to
 * long after its request. What both bring and cost: docs/performance.md.
 */
export function serveWarm(): void {
  for (const flag of FLAGS) setFlagsFromString(flag)
}

const FLAGS = [
  '--no-memory-reducer-favors-memory',
  // Collections of everything that a kind outlives, in place of two; only kinds in compiled code are meant.
  '--retain-maps-for-n-gc=100',
  '--no-allocation-site-pretenuring',
]
