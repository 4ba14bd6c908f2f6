import type { AttestationError } from '#attestation'
import { type OutputOptions, print } from '#base/print.ts'
import type { CommandRefusalOutput } from '#contract/models'
import { findReason, seeOf, stagesInWords } from './words.ts'

/** Exit code of every command that ends because a verification refused (CMD-08). */
export const REFUSED = 3

/** Tells a refusal and gives the exit code; the heading says what was not done because of it. */
export function printRefusal(
  options: OutputOptions,
  subject: string,
  heading: string,
  refusal: AttestationError,
): number {
  const { stage, reason } = refusal
  const entry = findReason(stage, reason)
  const document: CommandRefusalOutput = {
    subject,
    stage,
    reason,
    see: entry === undefined ? null : seeOf(entry),
  }
  print(options, document, [`${heading} ${stage}, ${reason}.`, '', ...stagesInWords(refusal)])
  return REFUSED
}
