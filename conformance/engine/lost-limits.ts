import { AssertionError } from './assert.ts'
import type { Hooks } from './hooks.ts'
import type { Scenario } from './scenario.ts'
import type { Target } from './target.ts'
import { NotTestable } from './thrown.ts'

/** Knows what a failure says while limits may not be what they are configured to be. */
export interface LimitWatch {
  /** What was thrown, or `NotTestable` in the place of failures while the product counted without its shared store. */
  judged(thrown: readonly unknown[]): Promise<readonly unknown[]>
}

/** Takes each failure for what it says. */
export const trustingLimits: LimitWatch = { judged: async (thrown) => thrown }

/**
 * Watches over a scenario that asks what limits admit. A router that loses the store in which several share their
 * buckets may go on with buckets of its own, full ones, and says so; what they admitted convicts nobody.
 */
export async function watchLimits(
  { needs }: Pick<Scenario, 'needs'>,
  target: Pick<Target, 'hooks'>,
  hooks: Hooks,
): Promise<LimitWatch> {
  if (target.hooks.lostLimits === undefined || !needs.includes('feature:rate-limits')) return trustingLimits
  const { count: before } = await hooks('lostLimits', {})
  return {
    async judged(thrown) {
      if (!thrown.some((one) => one instanceof AssertionError)) return thrown
      const count = (await hooks('lostLimits', {})).count - before
      if (count === 0) return thrown
      const reason = `the router says that ${count} times meanwhile it counted its limits without the store that it shares them in`
      return thrown.map((one) =>
        one instanceof AssertionError ? new NotTestable(`${reason}: ${one.message}`) : one,
      )
    },
  }
}
