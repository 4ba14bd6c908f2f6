import type { ScannedObject } from '../json/members.ts'

/** A client's body, for as long as a backend may have to be sent it: an answer may run for an hour. */
export interface KeptBody {
  /** Throws an `Error` once it has been let go of. */
  readonly object: ScannedObject
  /** Nobody needs it any more; saying so again is harmless. */
  letGo(): void
}

/** Keeps a body; `onGone` is called once, when it is let go of. */
export function keepBody(object: ScannedObject, onGone: () => void): KeptBody {
  let kept: ScannedObject | undefined = object
  return {
    get object() {
      if (kept === undefined) throw new Error('The body of this request was let go of.')
      return kept
    },
    letGo() {
      if (kept === undefined) return
      kept = undefined
      onGone()
    },
  }
}
