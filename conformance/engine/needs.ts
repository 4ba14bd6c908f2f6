import type { ConformanceFeature } from '#contract/models'
import type { EndpointName, FixtureKey, HookName, ModelName, Target } from './target.ts'

/**
 * What a scenario needs of a target. `key`: a key that works; `generation`: one that may be charged; `workspace`: new
 * workspaces and keys; `chatAlone`: a model for chat that is not the one for embeddings; the rest by name: a hook, a
 * model, a key or an endpoint of the target, a claimed feature.
 */
export type Need =
  | 'key'
  | 'generation'
  | 'workspace'
  | 'cors'
  | 'platform'
  | 'forwarded'
  | 'sibling'
  | 'siblingAdmin'
  | 'spare'
  | 'maxRequests'
  | 'chatAlone'
  | 'openProxy'
  | 'proxySocket'
  | 'console'
  | 'administrator'
  | 'proxyPage'
  | HookName
  | `model:${ModelName}`
  | `key:${FixtureKey}`
  | `endpoint:${EndpointName}`
  | `feature:${ConformanceFeature}`

/** Why a scenario cannot run: the product does not claim it, or the target cannot show it. */
export interface Obstacle {
  readonly verdict: 'not-supported' | 'not-testable'
  readonly reason: string
}

/** Fixtures of a feature, which nobody misses where it is not claimed. */
const fixtures: Readonly<Partial<Record<Need, ConformanceFeature>>> = { 'model:embeddings': 'embeddings' }

/** The feature that a need belongs to; undefined for one that every product may be asked for. */
export function featureOf(need: Need): ConformanceFeature | undefined {
  if (need.startsWith('feature:')) return need.slice('feature:'.length) as ConformanceFeature
  return fixtures[need]
}

/** What stands in the way of a need; undefined when nothing does. */
export function findObstacle(need: Need, target: Target): Obstacle | undefined {
  const feature = featureOf(need)
  if (feature !== undefined && !target.features.has(feature))
    return { verdict: 'not-supported', reason: `the product does not claim the feature ${feature}` }
  const [kind, name] = need.split(':') as [string, string | undefined]
  if (kind === 'feature') return undefined
  if (isThere(kind, name, target)) return undefined
  return { verdict: 'not-testable', reason: reasonFor(kind, name) }
}

/**
 * What stands in the way of the first of several needs: a feature that is not claimed before anything that is missing, for
 * what shows a feature nobody needs without it.
 */
export function firstObstacle(needs: readonly Need[], target: Target): Obstacle | undefined {
  const obstacles = needs.flatMap((need) => findObstacle(need, target) ?? [])
  return obstacles.find(({ verdict }) => verdict === 'not-supported') ?? obstacles[0]
}

function isThere(kind: string, name: string | undefined, target: Target): boolean {
  const { hooks, keys, models, endpoints } = target
  const canMakeKeys = hooks.createWorkspace !== undefined && hooks.createKey !== undefined
  if (name !== undefined) {
    if (kind === 'model') return models[name as ModelName] !== undefined
    if (kind === 'endpoint') return endpoints[name as EndpointName] !== undefined
    return canMakeKeys || keys[name as FixtureKey] !== undefined
  }
  switch (kind) {
    case 'key':
      return canMakeKeys || keys.active !== undefined
    case 'generation':
      return canMakeKeys || (keys.active !== undefined && target.mayGenerate)
    case 'workspace':
      return canMakeKeys
    case 'cors':
      return target.corsOrigin !== undefined
    case 'platform':
      return target.platform !== undefined
    case 'sibling':
      return target.siblingUrl !== undefined
    case 'siblingAdmin':
      return target.siblingAdminUrl !== undefined
    case 'openProxy':
      return target.openProxy !== undefined
    case 'proxySocket':
      return target.proxySocket !== undefined
    case 'console':
      return target.consoleUrl !== undefined
    case 'administrator':
      return target.administrator !== undefined
    case 'proxyPage':
      return target.proxyPageUrl !== undefined
    case 'spare':
      return target.spareUrl !== undefined
    case 'maxRequests':
      return target.limits.maxRequests !== undefined
    case 'chatAlone':
      return models.chat !== models.embeddings
    case 'forwarded':
      return target.believesForwarded
    case 'debits':
      // Who tells everything tells this.
      return hooks.debits !== undefined || hooks.books !== undefined
    default:
      return hooks[kind as HookName] !== undefined
  }
}

/** Why nothing is asked that costs. */
export const noChargeReason = 'the target lets no request be charged: no hooks, and not mayGenerate'

function reasonFor(kind: string, name: string | undefined): string {
  if (name !== undefined) return `the target names no ${kind} ${name}`
  if (kind === 'key') return 'the target has no key: neither keys.active nor the hooks that make one'
  if (kind === 'generation') return noChargeReason
  if (kind === 'workspace') return 'the target lacks the hooks createWorkspace and createKey'
  if (kind === 'cors') return 'the target names no corsOrigin'
  if (kind === 'platform') return 'the target names no platformUrl'
  if (kind === 'sibling') return 'the target names no siblingUrl'
  if (kind === 'siblingAdmin') return 'the target names no siblingAdminUrl'
  if (kind === 'openProxy') return 'the target names no openProxyUrl with its openProxyToken'
  if (kind === 'proxySocket') return 'the target names no proxySocket'
  if (kind === 'console') return 'the target names no consoleUrl'
  if (kind === 'administrator') return 'the target names no administrator'
  if (kind === 'proxyPage') return 'the target names no proxyPageUrl'
  if (kind === 'spare') return 'the target names no spareUrl'
  if (kind === 'maxRequests') return 'the target does not name limits.maxRequests'
  if (kind === 'chatAlone') return 'the target names one model for chat and for embeddings'
  if (kind === 'forwarded') return 'the router is not said to believe X-Forwarded-For'
  return `the target lacks the hook ${kind}`
}
