import type { AttestationError } from '#attestation'
import type { CommandRefusalOutput } from '#contract/models'
import { type CommonOptions, print } from './output.ts'
import { findReason, seeOf, stagesInWords } from './words.ts'

/** Exit code of every command that ends because a verification refused (interfaces, commands). */
export const REFUSED = 3

/** Tells a refusal and gives the exit code; the heading says what was not done because of it. */
export function printRefusal(
  options: CommonOptions,
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
