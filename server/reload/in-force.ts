import type { BodyMemory } from '../bodies/body-memory.ts'
import type { Catalogue } from '../catalogue.ts'
import type { RouterConfig } from '../config/router.ts'
import type { DefaultLimits } from '../limits/buckets.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { DrainTimers } from '../operations/drain.ts'
import type { OwnEndpoints } from '../publication/own-endpoint.ts'
import type { Relay } from '../relay/relay.ts'
import type { Edition } from './edition.ts'

/**
 * Parts of the configuration as it is in force, each read when it is asked for: for rooms that are wired once and keep
 * what they are given.
 */
export interface InForce {
  readonly config: RouterConfig
  readonly catalogue: Catalogue
  readonly defaultLimits: DefaultLimits
  readonly drainTimers: DrainTimers
  readonly ownEndpoints: OwnEndpoints
  readonly sourceAddressOf: SourceAddressOf
  readonly relay: Pick<Relay, 'backends'>
  readonly memory: Pick<BodyMemory, 'usage'>
}

/** Shows the edition that `current` gives; it need not be there yet. */
export function createInForce(current: () => Edition): InForce {
  return {
    get config() {
      return current().config
    },
    catalogue: {
      get models() {
        return current().catalogue.models
      },
      get byId() {
        return current().catalogue.byId
      },
      require: (id, param) => current().catalogue.require(id, param),
    },
    defaultLimits: {
      get requestsPerMinute() {
        return current().config.limits.requestsPerMinute
      },
      get tokensPerMinute() {
        return current().config.limits.tokensPerMinute
      },
    },
    drainTimers: {
      get notReadyMs() {
        return current().config.timers.notReadyMs
      },
      get drainMs() {
        return current().config.timers.drainMs
      },
    },
    ownEndpoints: {
      get main() {
        return current().ownEndpoints.main
      },
      find: (nameOrHostname) => current().ownEndpoints.find(nameOrHostname),
    },
    sourceAddressOf: (request) => current().sourceAddressOf(request),
    relay: { backends: () => current().relay.backends() },
    memory: {
      get usage() {
        return current().memory.usage
      },
    },
  }
}
