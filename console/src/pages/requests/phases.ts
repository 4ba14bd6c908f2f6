import type { RequestDetails } from '#contract/console/models'

/** A part of a request's time, in milliseconds from its arrival. */
export interface Phase {
  readonly name: string
  readonly from: number
  readonly length: number
}

type Timed = Pick<RequestDetails, 'created_at' | 'streamed' | 'timings'>

/** The parts of a request's time that are known: of one that runs, those that are over. */
export function phasesOf({ created_at, streamed, timings }: Timed): Phase[] {
  const { first_token_ms: first, end_ms: end, settled_at: settled } = timings
  const phases: Phase[] = []
  if (first !== null) phases.push({ name: 'Until the first token', from: 0, length: first })
  if (end !== null) {
    const from = first ?? 0
    const name = first === null ? 'Until the end' : streamed ? 'Answer, streamed' : 'Answer'
    phases.push({ name, from, length: Math.max(0, end - from) })
  }
  if (end !== null && settled !== null) {
    const at = Date.parse(settled) - Date.parse(created_at)
    // Two clocks are compared here: what is before the end by a hair came with it.
    if (at > end) phases.push({ name: 'Until it was settled', from: end, length: at - end })
  }
  return phases
}
