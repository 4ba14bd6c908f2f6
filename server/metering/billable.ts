import type { AcceptedGeneration, GenerationEnd, Usage } from './generation.ts'

/** What a generation is billed for, and whose count that is. */
export type Billed = Pick<GenerationEnd, 'usage' | 'usageSource'>

/** What a generation could use at most, in tokens: as much as its hold reckons with. */
export type UsageBounds = Pick<AcceptedGeneration, 'promptBoundTokens' | 'outputCapTokens'>

/**
 * The one ceiling of what is billed (MET-15): a backend is believed up to what the request could use, and beyond
 * it the bound is billed. So no generation costs more than was held for it, whatever a backend says. Without two counts
 * from the backend the router's own stand, within the same bound.
 */
export function billable(bounds: UsageBounds, reported: Usage | undefined, counted: Usage): Billed {
  const isReported =
    reported !== undefined && isCount(reported.promptTokens) && isCount(reported.completionTokens)
  if (!isReported) return { usage: within(bounds, counted), usageSource: 'counted' }
  const usage = within(bounds, reported)
  const isBounded =
    usage.promptTokens < reported.promptTokens || usage.completionTokens < reported.completionTokens
  return { usage, usageSource: isBounded ? 'bounded' : 'backend' }
}

/** Whether a value is a count at all; how large it may be is told by what it counts. */
export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}

function within({ promptBoundTokens, outputCapTokens }: UsageBounds, usage: Usage): Usage {
  return {
    promptTokens: Math.min(usage.promptTokens, promptBoundTokens),
    completionTokens: Math.min(usage.completionTokens, outputCapTokens),
  }
}
