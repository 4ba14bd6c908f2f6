import type { Watcher } from './watcher.ts'

/** The record of one answer while it passes. */
export interface AnswerRecord {
  see(bytes: Buffer): void
  /** Writes the generation's line; only the first end counts. */
  end(isComplete: boolean): void
}

type OnEnd = (isComplete: boolean, watcher: Watcher) => void

/** An answer that is looked at until its first end. */
export class Answered implements AnswerRecord {
  readonly #watcher: Watcher
  readonly #onEnd: OnEnd
  #isOver = false

  constructor(watcher: Watcher, onEnd: OnEnd) {
    this.#watcher = watcher
    this.#onEnd = onEnd
  }

  see(bytes: Buffer): void {
    if (!this.#isOver) this.#watcher.see(bytes)
  }

  end(isComplete: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    // A client may leave once it has read the end of a stream (GEN-17).
    this.#onEnd(isComplete || this.#watcher.isDone, this.#watcher)
  }
}
