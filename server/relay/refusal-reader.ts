import type { BackendRefusal } from './refusals.ts'

/** Bytes of a refusal that are read; backends say what they have to say in far less (ours). */
const MAX_REFUSAL_BYTES = 65_536

/** Collects the body of an answer that is no success. */
export class RefusalReader {
  readonly #status: number
  readonly #retryAfter: string | undefined
  readonly #pieces: Buffer[] = []
  #length = 0

  constructor(status: number, retryAfter: string | undefined) {
    this.#status = status
    this.#retryAfter = retryAfter
  }

  /** Takes more of the body; false when there is enough. */
  read(bytes: Buffer): boolean {
    this.#pieces.push(bytes)
    this.#length += bytes.length
    return this.#length < MAX_REFUSAL_BYTES
  }

  refusal(): BackendRefusal {
    return { status: this.#status, retryAfter: this.#retryAfter, body: this.#body() }
  }

  #body(): unknown {
    try {
      return JSON.parse(Buffer.concat(this.#pieces).toString())
    } catch {
      return undefined
    }
  }
}
