import { type Digest, parsePin } from '#attestation'
import { UsageError } from './usage.ts'

/** Reads digests in any notation. Throws `UsageError` naming the option. */
export function parsePins(option: string, texts: readonly string[]): Digest[] {
  return texts.map((text) => {
    try {
      return parsePin(text)
    } catch (cause) {
      throw new UsageError(`${option}: ${(cause as Error).message}`, { cause })
    }
  })
}
