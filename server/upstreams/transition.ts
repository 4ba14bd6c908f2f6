import { hardwareDocument } from '#egress/hardware.ts'
import type { Verdict } from '#egress/verdict/verdict.ts'
import type { UpstreamEvent } from './events.ts'

/** What an event tells of a verdict that changed. */
export type Transition = Pick<UpstreamEvent, 'event' | 'stage' | 'reason' | 'digest' | 'hardware'>

/** The event that a change is worth; undefined for a new signature alone, and for the same refusal once more. */
export function transitionOf(after: Verdict, before: Verdict): Transition | undefined {
  return isRenewal(after, before) ? undefined : eventOf(after)
}

function isRenewal(after: Verdict, before: Verdict): boolean {
  if (after.state !== before.state) return false
  if (after.state === 'admitted' && before.state === 'admitted')
    return after.admission.digest === before.admission.digest
  if (after.state === 'admitted' || before.state === 'admitted') return false
  return after.ground.stage === before.ground.stage && after.ground.reason === before.ground.reason
}

function eventOf(verdict: Verdict): Transition {
  if (verdict.state === 'admitted') {
    const { digest, hardware } = verdict.admission
    return { event: 'admitted', digest, ...(hardware && { hardware: hardwareDocument(hardware) }) }
  }
  const { stage, reason, evidenceDigest: digest } = verdict.ground
  return { event: verdict.state, stage, reason, digest }
}
