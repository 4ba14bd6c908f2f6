import { type Digest, parsePin } from '#attestation'
import { UsageError } from '#base/command.ts'

/** Parses a digest in any notation; throws `UsageError` naming the option. */
export function parseDigestOption(option: string, text: string): Digest {
  try {
    return parsePin(text)
  } catch {
    throw new UsageError(`${option} must be a digest such as sha256:<64 hexadecimal digits>, not "${text}".`)
  }
}
