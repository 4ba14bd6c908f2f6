/** A client's bytes, for as long as somebody may have to be sent them: an answer may run for an hour. */
export interface KeptBody {
  /** None once they have been let go of. */
  readonly bytes: Buffer
  /** Nobody needs them any more; saying so again is harmless. */
  letGo(): void
}

const NOTHING = Buffer.alloc(0)

/** Keeps a body; `onGone` is told once, when it is let go of. */
export function keepBody(bytes: Buffer, onGone: () => void): KeptBody {
  let kept: Buffer | undefined = bytes
  return {
    get bytes() {
      return kept ?? NOTHING
    },
    letGo() {
      if (kept === undefined) return
      kept = undefined
      onGone()
    },
  }
}
