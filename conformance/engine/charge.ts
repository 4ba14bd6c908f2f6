import { noChargeReason } from './needs.ts'
import type { Target } from './target.ts'
import { NotTestable } from './thrown.ts'

/** Keys that work and that the target file lets nobody charge: with them nothing is asked that might be generated. */
export function unchargeableKeys({ keys, hooks, mayGenerate }: Target): readonly string[] {
  const canMakeKeys = hooks.createWorkspace !== undefined && hooks.createKey !== undefined
  if (mayGenerate || canMakeKeys) return []
  return [keys.active, keys.scoped].filter((key) => key !== undefined)
}

/** Where answers are generated, however a path below the base URL is spelt. */
const GENERATING = /completions|embeddings/i

/**
 * Refuses a request that a router which is lax might answer by generating, though it should not. Throws `NotTestable`
 * where one of these keys stands in it, wherever that is.
 */
export function refuseToCharge(keys: readonly string[], method: string, target: string, whole: string): void {
  if (method !== 'POST' || !GENERATING.test(decoded(target))) return
  if (keys.some((key) => whole.includes(key))) throw new NotTestable(noChargeReason)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
