import type { ControlHandler } from './handlers.ts'

/** What is known of the limits. */
export interface LimitsControl {
  /** How often buckets were counted without the shared store, since the start (LIM-41). */
  readonly lostLimits: () => number
}

/** Tells whether limits were what the deployment is configured with. */
export function tellingLostLimits({ lostLimits }: LimitsControl): ControlHandler<'lostLimits'> {
  return async () => ({ count: lostLimits() })
}
