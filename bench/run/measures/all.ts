import { churn } from './churn.ts'
import { coldStart } from './cold-start.ts'
import { listing } from './listing.ts'
import type { Measure } from './measure.ts'
import { memory } from './memory.ts'
import { requests } from './requests.ts'
import { streams } from './streams.ts'

/** Everything that is measured, in the order of the report. */
export const measures: readonly Measure[] = [...requests, ...streams, ...churn, listing, memory, coldStart]
