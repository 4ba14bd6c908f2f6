import type { ControlOperation, ControlOperations } from '#contract/control'

/** Operations of spec/control.tsp that this router does not serve. */
const later = [
  'reset',
  'readMails',
  'startProxy',
  'advanceClock',
] as const satisfies readonly ControlOperation[]

type ServedOperation = Exclude<ControlOperation, (typeof later)[number]>

/** Does one operation. */
export type ControlHandler<Op extends ControlOperation> = (
  request: ControlOperations[Op]['request'],
) => Promise<ControlOperations[Op]['response']>

/** One handler for each served operation; a missing one does not compile. */
export type ControlHandlers = { readonly [Op in ServedOperation]: ControlHandler<Op> }

/** What was asked for cannot be done; the message says why. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
}
