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
  return new Kept(object, onGone)
}

class Kept implements KeptBody {
  #object: ScannedObject | undefined
  readonly #onGone: () => void

  constructor(object: ScannedObject, onGone: () => void) {
    this.#object = object
    this.#onGone = onGone
  }

  get object(): ScannedObject {
    if (this.#object === undefined) throw new Error('The body of this request was let go of.')
    return this.#object
  }

  letGo(): void {
    if (this.#object === undefined) return
    this.#object = undefined
    this.#onGone()
  }
}
