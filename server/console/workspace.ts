import type { Feed } from '../history/feed.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { type AnalyticsDependencies, sendingEvents } from './analytics.ts'
import { gettingCredits } from './credits.ts'
import { type EndpointsDependencies, gettingBundle, listingEndpoints } from './endpoints.ts'
import type { ConsoleHandlers } from './handlers.ts'
import { creatingKeys, listingKeys, revokingKeys, updatingKeys } from './keys.ts'
import { followingRequests } from './live.ts'
import { listingModels } from './models.ts'
import { gettingRequest, listingRequests } from './requests.ts'
import { savingRequests } from './requests-csv.ts'
import { gettingUsage } from './usage.ts'

/** What the pages of a workspace need from the router. */
export interface WorkspaceDependencies extends EndpointsDependencies, AnalyticsDependencies {
  readonly sql: Sql
  readonly feed: Feed
  readonly now: () => Date
  readonly log: Log
}

/** What people see and do of their own workspace, and the page events. */
export function workspaceHandlers(world: WorkspaceDependencies) {
  const { sql, feed, now, log } = world
  return {
    listKeys: listingKeys(sql),
    createKey: creatingKeys(sql),
    updateKey: updatingKeys(sql),
    revokeKey: revokingKeys(sql),
    getCredits: gettingCredits(sql),
    listRequests: listingRequests(sql),
    getRequest: gettingRequest(sql),
    saveRequests: savingRequests(sql, log),
    followRequests: followingRequests(feed),
    getUsage: gettingUsage(sql, now),
    listConsoleModels: listingModels(world),
    listEndpoints: listingEndpoints(world),
    getBundle: gettingBundle(world),
    sendEvents: sendingEvents(world),
  } satisfies Partial<ConsoleHandlers>
}
