import { limits } from '#contract/limits'
import { createFeed } from '../history/feed.ts'
import type { Budget } from '../limits/budget.ts'
import type { BucketName } from '../limits/metrics.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import type { Metric } from '../operations/metric.ts'
import { outlast } from '../store/retry.ts'
import { createPageEvents, sendingEvents } from './analytics.ts'
import { gettingCredits } from './credits.ts'
import { type EndpointsDependencies, gettingBundle, listingEndpoints } from './endpoints.ts'
import type { ConsoleHandlers } from './handlers.ts'
import { createKey, listingKeys, revokeKey, updateKey } from './keys.ts'
import { followingRequests } from './live.ts'
import { listingModels } from './models.ts'
import { gettingRequest, listingRequests } from './requests.ts'
import { savingRequests } from './requests-csv.ts'
import { findOpenSessions } from './sessions.ts'
import { gettingUsage } from './usage.ts'

/** What the pages of a workspace need from the router. */
export interface WorkspaceDependencies extends EndpointsDependencies {
  readonly sourceAddressOf: SourceAddressOf
  readonly budgetOf: (bucket: BucketName, perMinute: number) => Budget
  readonly now: () => Date
  readonly log: Log
}

type Answered =
  | 'listKeys'
  | 'createKey'
  | 'updateKey'
  | 'revokeKey'
  | 'getCredits'
  | 'listRequests'
  | 'getRequest'
  | 'saveRequests'
  | 'followRequests'
  | 'getUsage'
  | 'listConsoleModels'
  | 'listEndpoints'
  | 'getBundle'
  | 'sendEvents'

/** What people see and do of their own workspace, and what their pages tell. */
export interface WorkspacePages {
  readonly handlers: Pick<ConsoleHandlers, Answered>
  readonly metrics: readonly Metric[]
  /** Ends every event stream. */
  stop(): Promise<void>
}

/** Wires them: one file a resource. */
export function createWorkspacePages(world: WorkspaceDependencies): WorkspacePages {
  const { sql, now, log, sourceAddressOf, budgetOf } = world
  const isOpen = async (sessionId: string): Promise<boolean> =>
    (await outlast(() => findOpenSessions(sql, [sessionId]))).has(sessionId)
  const feed = createFeed({ sql, log, openSessions: findOpenSessions })
  const events = createPageEvents()
  const budget = budgetOf('analytics', limits.analyticsEventsPerMinute)
  return {
    handlers: {
      listKeys: listingKeys(sql),
      createKey,
      updateKey,
      revokeKey,
      getCredits: gettingCredits(sql),
      listRequests: listingRequests(sql),
      getRequest: gettingRequest(sql),
      saveRequests: savingRequests(sql, log, isOpen),
      followRequests: followingRequests(feed),
      getUsage: gettingUsage(sql, now),
      listConsoleModels: listingModels(world),
      listEndpoints: listingEndpoints(world),
      getBundle: gettingBundle(world),
      sendEvents: sendingEvents({ events, budget, sourceAddressOf }),
    },
    metrics: [events.metric],
    stop: feed.stop,
  }
}
