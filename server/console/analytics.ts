import type { components } from '#contract/console/types'
import type { Budget } from '../limits/budget.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import { Family } from '../operations/family.ts'
import { Counter } from '../operations/histogram.ts'
import { counter, type Metric } from '../operations/metric.ts'
import type { ConsoleHandler } from './handlers.ts'

type PageEvent = components['schemas']['PageEvent']

/** Counts what happens in the console's pages. */
export interface PageEvents {
  count(event: PageEvent): void
  readonly metric: Metric
}

/** A name and a page, both out of lists of the contract: there is no room for content or for a person (CONS-58). */
export function createPageEvents(): PageEvents {
  const counts = new Family(['event', 'page'], () => new Counter())
  return {
    count: ({ name, page }) => counts.of(name, page).add(1),
    metric: counter('router.console.events', '{event}', 'What happened in the console’s pages.', counts),
  }
}

/** What taking events needs from the router. */
export interface AnalyticsDependencies {
  readonly events: PageEvents
  /** Apart from every other (CONS-32). */
  readonly budget: Budget
  readonly sourceAddressOf: SourceAddressOf
}

/** `POST /analytics`: each event takes one of the address's budget; those before it are counted when it runs out. */
export function sendingEvents({
  events,
  budget,
  sourceAddressOf,
}: AnalyticsDependencies): ConsoleHandler<'sendEvents'> {
  return async ({ incoming, body }) => {
    for (const event of body.events) {
      budget.take(sourceAddressOf(incoming))
      events.count(event)
    }
    return { status: 202 }
  }
}
