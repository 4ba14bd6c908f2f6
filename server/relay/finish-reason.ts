import { isObject } from '#base/object.ts'

/** Whether a choice's `finish_reason` says anything: some backends write an empty one for none. */
export function isReason(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** The last finish reason that these choices name, of a chunk and of a whole answer alike (GEN-19). */
export function finishReasonOf(choices: readonly unknown[]): string | undefined {
  const reasons = choices.map((choice) => (isObject(choice) ? choice.finish_reason : undefined))
  return reasons.findLast(isReason)
}
