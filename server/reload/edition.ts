import { type BodyMemory, createBodyMemory } from '../bodies/body-memory.ts'
import { type Catalogue, createCatalogue, type IsInService } from '../catalogue.ts'
import { isExternal, type ModelConfig, type RouterConfig } from '../config/router.ts'
import { versionOf } from '../config/version.ts'
import { createSourceAddress, type SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import type { Collector } from '../operations/collect.ts'
import { createOwnEndpoints, type OwnEndpoints } from '../publication/own-endpoint.ts'
import type { Fleet } from '../relay/fleet.ts'
import type { Observe } from '../relay/observation.ts'
import { createRelay, type Relay } from '../relay/relay.ts'
import { createTokenizers, type Tokenizers } from '../relay/tokenizer.ts'

/** One version of the configuration, and what requests need that is made of it. */
export interface Edition {
  readonly version: string
  readonly config: RouterConfig
  /** When it was taken up. */
  readonly since: Date
  readonly catalogue: Catalogue
  readonly relay: Relay
  readonly tokenizers: Tokenizers
  readonly memory: BodyMemory
  /** Whether any model costs nothing: then nobody is refused for credit before the model is known. */
  readonly hasFreeModels: boolean
  readonly ownEndpoints: OwnEndpoints
  readonly sourceAddressOf: SourceAddressOf
  /** To be called after its last request: closes the sockets that no other edition has. */
  retire(): Promise<void>
  /** To be called as the router stops: as `retire`, and what still runs fails. */
  close(): Promise<void>
}

/** What outlives every edition. */
export interface EditionWorld {
  readonly fleet: Fleet
  readonly isInService: IsInService
  readonly observe: Observe
  readonly collector: Collector
  readonly log: Log
  readonly now: () => Date
}

/** Makes an edition, which is not in force yet; of the one before it keeps what need not be made anew. */
export function createEdition(config: RouterConfig, world: EditionWorld, before?: Edition): Edition {
  const { fleet, isInService, observe, collector, log, now } = world
  const { models, limits, timers } = config
  const ownModels = models.filter((model): model is ModelConfig => !isExternal(model))
  const { maxEventBytes } = limits
  const relay = createRelay({ models: ownModels, timers, maxEventBytes, log, observe, fleet })
  const tokenizers = createTokenizers(ownModels, log)
  return {
    version: versionOf(config),
    config,
    since: now(),
    catalogue: createCatalogue(models, isInService),
    relay,
    tokenizers,
    memory:
      memoryOf(config, before) ?? createBodyMemory(limits.bodyMemoryBytes, limits.maxBodyBytes, collector),
    hasFreeModels: models.some(({ pricing }) => pricing.promptMicros === 0 && pricing.completionMicros === 0),
    ownEndpoints: createOwnEndpoints(config.endpoints, config.publicBaseUrl),
    sourceAddressOf: createSourceAddress(config.trustedProxies),
    async retire() {
      await Promise.all([relay.close(), tokenizers.end()])
    },
    async close() {
      await Promise.all([relay.close(), tokenizers.close()])
    },
  }
}

/** Bodies that are being read count in the memory that the next ones want. */
function memoryOf({ limits }: RouterConfig, before: Edition | undefined): BodyMemory | undefined {
  if (before === undefined) return undefined
  const { bodyMemoryBytes, maxBodyBytes } = before.config.limits
  const isSame = bodyMemoryBytes === limits.bodyMemoryBytes && maxBodyBytes === limits.maxBodyBytes
  return isSame ? before.memory : undefined
}
